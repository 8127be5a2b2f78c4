// A bandwidth shared by all who ask: requests are served one after another as they arrive, then answered.
// Leaves out latency, which does not occupy it and is added by whoever waits, and everything inside a memory or a link.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/kernel/component.hpp"
#include "sim/kernel/port.hpp"
#include "sim/run/machine.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::hardware {

// Resources that hold up a kernel, in the order of sim::Bound: hbm, l2, compute, link, host.
inline constexpr std::size_t resource_count = 5;
using ResourceTimes = std::array<sim::Duration, resource_count>;
[[nodiscard]] constexpr std::size_t index_of(sim::Bound bound) { return static_cast<std::size_t>(bound); }
static_assert(index_of(sim::Bound::host) + 1 == resource_count);

struct Request {
  std::int64_t bytes = 0;
  std::uint32_t lane = 0;  // of the pool, returned with the reply
  std::uint32_t buffer = 0;
  bool write = false;
  sim::Duration acknowledge;  // after the last byte
  sim::Bandwidth rate;        // at which these bytes are served; zero: the server's own
};

// Arrives when the last byte is through (and acknowledged).
struct Reply {
  std::uint32_t lane = 0;
  std::uint32_t buffer = 0;
  bool write = false;
  sim::Bound server = sim::Bound::hbm;
  sim::Instant began;   // its first byte
  sim::Duration taken;  // waiting for others and being served
};

class Server : public sim::Component {
 public:
  Server(std::string name, sim::Bound resource, sim::Bandwidth rate);
  void reset(sim::Instant base);  // idle from `base` on
  [[nodiscard]] sim::Duration busy() const { return busy_; }
  [[nodiscard]] sim::Instant wake() const override { return requests.next(); }
  void advance(sim::Instant now) override;

  sim::Port<Request> requests{"requests", *this};
  sim::Outlet<Reply> replies;

 private:
  sim::Bound resource_;
  sim::Bandwidth rate_;
  sim::Instant free_;
  sim::Duration busy_;
};

}  // namespace kvtraffic::hardware
