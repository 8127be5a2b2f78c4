// What answers the loads and stores of SMs: the seam of all memories and links, and the simplest of them, a bandwidth
// that serves one request after another. Leaves out latency, which does not occupy it and is added by whoever waits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

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
  std::uint32_t vertex = 0;   // whose bytes: those of its tiles first..last - 1
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t window = 0;  // bytes that the lane's SMs keep on their way
};

// Two things are told, at once or one after the other: that the request's last byte has been asked for, so that the
// lane could ask for more, and that it is through (and acknowledged).
struct Reply {
  std::uint32_t lane = 0;
  std::uint32_t buffer = 0;
  bool write = false;
  bool admits = true;
  bool serves = true;
  sim::Bound server = sim::Bound::hbm;
  sim::Instant began;   // its first byte
  sim::Instant ended;   // its last byte; not later than the reply, and never far from it
  sim::Duration taken;  // waiting for others and being served
};

// That a load has been asked for in whole; it is still to be served.
[[nodiscard]] Reply admission(const Request& load, sim::Instant now);

class MemoryServer : public sim::Component {
 public:
  explicit MemoryServer(std::string name) : Component(std::move(name)) {}
  virtual void reset(sim::Instant base) = 0;  // idle from `base` on
  [[nodiscard]] virtual sim::Duration busy() const = 0;

  sim::Port<Request> requests{"requests", *this};
  sim::Outlet<Reply> replies;
};

// First come, first served.
class Server : public MemoryServer {
 public:
  Server(std::string name, sim::Bound resource, sim::Bandwidth rate);
  void reset(sim::Instant base) override;
  [[nodiscard]] sim::Duration busy() const override { return busy_; }
  [[nodiscard]] sim::Instant wake() const override { return requests.next(); }
  void advance(sim::Instant now) override;

 private:
  sim::Bound resource_;
  sim::Bandwidth rate_;
  sim::Instant free_;
  sim::Duration busy_;
};

}  // namespace kvtraffic::hardware
