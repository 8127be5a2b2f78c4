// The SMs of a device and the kernels that run on them: tiles in waves, loads ahead of arithmetic, stores behind it.
// Leaves out what an SM does inside a tile (registers, occupancy) and SMs that run two kernels at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hardware/machine/kernel_work.hpp"
#include "hardware/machine/server.hpp"
#include "hardware/spec/hardware.hpp"

namespace kvtraffic::hardware {

struct Launch {
  std::uint32_t vertex = 0;
};

struct Finished {
  std::uint32_t vertex = 0;
  sim::Instant at;
  ResourceTimes
      taken{};       // by the kernel's requests, waiting included; compute: of the SM with most, and waiting for SMs
  bool ends = true;  // false: its last tiles have begun, which is told of kernels whose followers are launched then
};

// SMs that a kernel gets at one moment form a lane. A lane takes groups of tiles from its kernel until none are left:
// each of its SMs runs `depth` tiles of a group. Loads of a group are asked for as soon as those of the group before
// have been admitted (where tiles have a bubble: served), up to `buffers` groups ahead of the last store, so that
// latency is paid once and not per wave; they arrive in order, and arithmetic of a group overlaps its own loads from
// the first byte on. With less than a wave left, only a lane that has
// the whole device still takes tiles ahead: others leave them to the SMs that are free first. Kernels get free SMs in
// the order of launch, and a lane keeps its SMs while its kernel has tiles.
class SmPool : public sim::Component {
 public:
  static constexpr std::uint32_t most_kernels = 128;  // resident at once, as on NVIDIA devices
  static constexpr std::uint32_t buffers = 3;

  explicit SmPool(const Device& device);
  void connect(MemoryServer& server, sim::Bound resource);
  void reset(std::span<const KernelWork> works);  // one per vertex; requires that nothing is running
  [[nodiscard]] sim::Instant wake() const override;
  void advance(sim::Instant now) override;
  [[nodiscard]] std::string waiting_for() const override;

  sim::Port<Launch> launches{"launches", *this};
  sim::Port<Reply> replies{"replies", *this};
  sim::Outlet<Finished> finished;

 private:
  enum class Stage : std::uint8_t { empty, loading, computing, storing };
  struct Buffer {  // a group of tiles on its way
    Stage stage = Stage::empty;
    std::uint32_t pending = 0;  // requests not yet served
    std::uint32_t outside = 0;  // loads not yet admitted
    std::int64_t first = 0;     // its tiles: first..last - 1
    std::int64_t last = 0;
    std::int64_t sms = 0;
    sim::Duration load_time;  // at the rate that its SMs can load
    sim::Duration latency;    // of its slowest source
    sim::Instant issued;
    sim::Instant first_data;
    sim::Instant arrived;
    sim::Instant computed;
  };
  struct Lane {
    std::uint32_t kernel = 0;
    std::int64_t sms = 0;
    std::uint32_t next = 0;       // buffer of the next group to issue
    std::uint32_t arriving = 0;   // buffer of the next group whose loads arrive
    std::uint32_t computing = 0;  // buffer of the next group to compute or computing
    bool started = false;
    bool loading = false;   // the last group's loads leave no room for more
    sim::Instant can_load;  // when they no longer did
    sim::Instant free;      // when the arithmetic of the group before ends
    sim::Instant due;
    sim::Duration compute;
    std::array<Buffer, buffers> groups;
  };
  struct Kernel {
    std::uint32_t vertex = 0;
    const KernelWork* work = nullptr;
    std::int64_t issued = 0;  // tiles
    std::uint32_t lanes = 0;
    sim::Instant launched;
    sim::Duration waited;  // for the first free SM
    ResourceTimes taken{};
  };

  void accept(sim::Instant now);
  void open_lanes(sim::Instant now);
  void open_lane(std::uint32_t kernel, sim::Instant now);
  void run_lane(std::uint32_t index, sim::Instant now);
  void close_idle_lanes(sim::Instant now);
  void close_lane(const Lane& lane, sim::Instant now);
  void take_reply(const Reply& reply, sim::Instant now);
  void issue(std::uint32_t index, sim::Instant now);
  void ask_for_loads(std::uint32_t index, std::uint32_t buffer, sim::Instant now);
  void settle(Lane& lane, sim::Instant now);
  static void release(Lane& lane, const Buffer& group, sim::Instant now);
  void loaded(Lane& lane, Buffer& group, sim::Instant now);
  static void add_bubble(Lane& lane, Buffer& group, sim::Duration bubble);
  void store(std::uint32_t index, std::uint32_t buffer, sim::Instant now);
  void ask(sim::Bound server, std::uint32_t index, std::uint32_t buffer, std::int64_t bytes, bool write,
           sim::Instant now);
  void give_back_surplus(Lane& lane);
  [[nodiscard]] sim::Instant next_issue(const Lane& lane) const;
  [[nodiscard]] sim::Instant next_event(const Lane& lane) const;
  [[nodiscard]] sim::Bandwidth load_rate_of(const KernelWork& work) const;
  [[nodiscard]] sim::Duration latency_of(sim::Bound server, const KernelWork& work) const;

  Device device_;
  std::span<const KernelWork> works_;
  std::array<sim::Outlet<Request>, resource_count> servers_;
  std::int64_t free_sms_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> free_kernels_, free_lanes_;
  std::vector<std::uint32_t> queue_;   // kernels with tiles left, in the order of launch
  std::vector<std::uint32_t> active_;  // lanes, in the order in which they were opened
};

}  // namespace kvtraffic::hardware
