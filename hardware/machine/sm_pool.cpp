// One turn: answers in, lanes on, SMs to the kernels that were launched first.
// Lanes and kernels sit in arrays of fixed size; a turn allocates nothing.
#include "hardware/machine/sm_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/units/whole.hpp"

namespace kvtraffic::hardware {

using sim::Bound;
using sim::Duration;
using sim::Instant;

namespace {

std::int64_t share(std::int64_t bytes, const KernelWork& work, std::int64_t first, std::int64_t last) {
  return bytes == 0 ? 0 : bytes_of_tiles(bytes, work, last) - bytes_of_tiles(bytes, work, first);
}

// Whether an SM loads for its next tile before the last one has its bytes.
bool work_has_room(const KernelWork& work) { return work.bubble == Duration(); }

}  // namespace

SmPool::SmPool(const Device& device)
    : Component("SMs"),
      device_(device),
      free_sms_(device.sms),
      kernels_(most_kernels),
      lanes_(static_cast<std::size_t>(device.sms)) {
  for (std::uint32_t i = most_kernels; i > 0; --i) free_kernels_.push_back(i - 1);
  for (auto i = static_cast<std::uint32_t>(lanes_.size()); i > 0; --i) free_lanes_.push_back(i - 1);
  queue_.reserve(kernels_.size());
  active_.reserve(lanes_.size());
}

// A lane has at most one request per buffer at a server, and each is answered in two messages at most; twice that,
// because a returned credit is seen one tick later.
void SmPool::connect(MemoryServer& server, Bound resource) {
  const auto credits = static_cast<std::uint32_t>(2 * lanes_.size() * buffers);
  servers_[index_of(resource)] = server.requests.connect(*this, credits);
  server.replies = replies.connect(server, 2 * credits);
}

void SmPool::reset(std::span<const KernelWork> works) { works_ = works; }

Instant SmPool::wake() const {
  Instant earliest = replies.next();
  if (!free_kernels_.empty()) earliest = std::min(earliest, launches.next());
  for (const std::uint32_t lane : active_) earliest = std::min(earliest, lanes_[lane].due);
  return earliest;
}

void SmPool::advance(Instant now) {
  while (const auto reply = replies.receive(now)) take_reply(*reply, now);
  for (const std::uint32_t lane : active_) {
    if (lanes_[lane].due <= now) run_lane(lane, now);
  }
  close_idle_lanes(now);
  accept(now);
  open_lanes(now);
}

void SmPool::accept(Instant now) {
  while (!free_kernels_.empty()) {
    const auto launch = launches.receive(now);
    if (!launch) return;
    const std::uint32_t kernel = free_kernels_.back();
    free_kernels_.pop_back();
    kernels_[kernel] = {};
    kernels_[kernel].vertex = launch->vertex;
    kernels_[kernel].work = &works_[launch->vertex];
    kernels_[kernel].launched = now;
    queue_.push_back(kernel);
  }
}

void SmPool::open_lanes(Instant now) {
  std::size_t done = 0;
  for (; done < queue_.size(); ++done) {
    const Kernel& kernel = kernels_[queue_[done]];
    if (kernel.issued < kernel.work->tiles && free_sms_ > 0) open_lane(queue_[done], now);
    if (kernel.issued < kernel.work->tiles) break;
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(done));
}

void SmPool::open_lane(std::uint32_t kernel_index, Instant now) {
  Kernel& kernel = kernels_[kernel_index];
  const std::uint32_t index = free_lanes_.back();
  free_lanes_.pop_back();
  Lane& lane = lanes_[index];
  lane = {};
  lane.kernel = kernel_index;
  lane.sms = std::min(free_sms_, kernel.work->tiles - kernel.issued);
  lane.can_load = lane.free = now;
  free_sms_ -= lane.sms;
  ++kernel.lanes;
  if (kernel.issued == 0) kernel.waited = now - kernel.launched;
  active_.push_back(index);
  run_lane(index, now);
}

Instant SmPool::next_issue(const Lane& lane) const {
  const Kernel& kernel = kernels_[lane.kernel];
  const std::int64_t left = kernel.work->tiles - kernel.issued;
  if (left == 0 || lane.loading || lane.groups[lane.next].stage != Stage::empty) return Instant::never();
  const bool ahead = lane.sms == device_.sms || left >= device_.sms * kernel.work->depth;
  return ahead ? lane.can_load : std::max(lane.can_load, lane.free);
}

Instant SmPool::next_event(const Lane& lane) const {
  const Buffer& group = lane.groups[lane.computing];
  const Instant computed = group.stage == Stage::computing ? group.computed : Instant::never();
  return std::min(computed, next_issue(lane));
}

void SmPool::run_lane(std::uint32_t index, Instant now) {
  Lane& lane = lanes_[index];
  while ((lane.due = next_event(lane)) <= now) {
    const Buffer& group = lane.groups[lane.computing];
    if (group.stage == Stage::computing && group.computed <= now) {
      store(index, lane.computing, now);
      lane.computing = (lane.computing + 1) % buffers;
    } else {
      issue(index, now);
    }
  }
}

// Takes the next group. Its SMs may be fewer than the lane's: the others are given back once they have nothing to do.
void SmPool::issue(std::uint32_t index, Instant now) {
  Lane& lane = lanes_[index];
  Kernel& kernel = kernels_[lane.kernel];
  const std::int64_t left = kernel.work->tiles - kernel.issued;
  const std::uint32_t buffer = lane.next;
  Buffer& group = lane.groups[buffer];
  group = {};
  group.stage = Stage::loading;
  group.first = kernel.issued;
  group.sms = std::min(lane.sms, left);
  group.last = group.first + std::min(left, group.sms * kernel.work->depth);
  group.issued = group.arrived = now;
  kernel.issued = group.last;
  if (kernel.work->overlapped && kernel.issued == kernel.work->tiles) {
    finished.send(now, {.vertex = kernel.vertex, .at = now, .ends = false}, sim::tick);
  }
  lane.next = (buffer + 1) % buffers;
  lane.loading = true;
  ask_for_loads(index, buffer, now);
  if (group.outside == 0 && work_has_room(*kernel.work)) release(lane, group, now);
  settle(lane, now);
}

void SmPool::ask_for_loads(std::uint32_t index, std::uint32_t buffer, Instant now) {
  Lane& lane = lanes_[index];
  Buffer& group = lane.groups[buffer];
  const KernelWork& work = *kernels_[lane.kernel].work;
  const auto part = [&](std::int64_t bytes) { return share(bytes, work, group.first, group.last); };
  const std::int64_t l2 = part(work.l2_read);
  const std::int64_t host = part(work.host);
  const std::int64_t remote = part(work.remote);
  const auto load = [&](Bound server, std::int64_t bytes) {
    if (bytes == 0) return;
    ask(server, index, buffer, bytes, false, now);
    ++group.pending;
    ++group.outside;
    group.latency = std::max(group.latency, latency_of(server, work));
  };
  load(Bound::hbm, part(work.hbm_read));
  load(Bound::l2, l2);
  load(Bound::host, host);
  load(Bound::link, part(work.sent) + remote);
  // The first load of a block waits for its arguments, which lie in DRAM, whatever it loads then.
  if (work.folded) group.latency = {};
  if (!lane.started && !work.folded) group.latency = std::max(group.latency, device_.memory_latency);
  lane.started = true;
  const auto sms = static_cast<double>(group.sms);
  const std::int64_t loaded_bytes = l2 + host + remote;
  if (loaded_bytes > 0) group.load_time = sim::time_to_move(sim::Bytes::of(loaded_bytes), load_rate_of(work) * sms);
  group.first_data = now + group.latency;
}

Duration SmPool::latency_of(Bound server, const KernelWork& work) const {
  switch (server) {
    case Bound::hbm:
      return device_.memory_latency;
    case Bound::host:
      return device_.host_latency;
    case Bound::link:
      return work.link_latency;
    default:
      return device_.l2_latency;
  }
}

sim::Bandwidth SmPool::load_rate_of(const KernelWork& work) const {
  return work.load_rate.is_zero() ? device_.sm_load_rate : work.load_rate;
}

// An SM that loads at its highest rate from an idle memory has so much on its way.
void SmPool::ask(Bound server, std::uint32_t index, std::uint32_t buffer, std::int64_t bytes, bool write, Instant now) {
  const Lane& lane = lanes_[index];
  const Buffer& group = lane.groups[buffer];
  const Kernel& kernel = kernels_[lane.kernel];
  const double in_flight = load_rate_of(*kernel.work).per_second() * device_.memory_latency.seconds();
  const Request request{.bytes = bytes,
                        .lane = index,
                        .buffer = buffer,
                        .write = write,
                        .acknowledge = write ? device_.l2_latency : Duration(),
                        .vertex = kernel.vertex,
                        .first = group.first,
                        .last = group.last,
                        .window = sim::checked_whole(in_flight * static_cast<double>(group.sms))};
  servers_[index_of(server)].send(now, request, sim::tick);
}

void SmPool::take_reply(const Reply& reply, Instant now) {
  Lane& lane = lanes_[reply.lane];
  Kernel& kernel = kernels_[lane.kernel];
  Buffer& group = lane.groups[reply.buffer];
  if (reply.admits && !reply.write && --group.outside == 0 && work_has_room(*kernel.work)) release(lane, group, now);
  if (reply.serves) {
    kernel.taken[index_of(reply.server)] += reply.taken;
    --group.pending;
    if (reply.write) {
      if (group.pending == 0) group.stage = Stage::empty;
    } else {
      const Duration latency = kernel.work->folded ? Duration() : latency_of(reply.server, *kernel.work);
      group.first_data = std::max(group.first_data, reply.began + latency);
      group.arrived = std::max(group.arrived, reply.ended + latency);
      settle(lane, now);
    }
  }
  lane.due = next_event(lane);
}

// Groups are taken over in the order in which they were asked for.
void SmPool::settle(Lane& lane, Instant now) {
  while (true) {
    Buffer& group = lane.groups[lane.arriving];
    if (group.stage != Stage::loading || group.pending > 0) return;
    loaded(lane, group, now);
    lane.arriving = (lane.arriving + 1) % buffers;
  }
}

// The next group may ask for its loads.
void SmPool::release(Lane& lane, const Buffer& group, Instant now) {
  lane.loading = false;
  lane.can_load = std::max(now, group.issued + group.load_time);
}

// All bytes of the group are under way: what is left is latency and arithmetic, both known.
void SmPool::loaded(Lane& lane, Buffer& group, Instant now) {
  const KernelWork& work = *kernels_[lane.kernel].work;
  const std::int64_t tiles = sim::ceil_divide(group.last - group.first, group.sms);
  const Duration arithmetic = work.tile_time * tiles;
  if (!work_has_room(work)) release(lane, group, now);
  group.stage = Stage::computing;
  group.arrived = std::max(group.arrived, group.issued + group.load_time + group.latency);
  group.computed = std::max(group.arrived, std::max(group.first_data, lane.free) + arithmetic);
  group.computed = std::max(group.computed, now + sim::tick);  // a group of nothing ends in another turn, too
  if (work.bubble > Duration()) add_bubble(lane, group, work.bubble * tiles);
  lane.free = group.computed;
  lane.compute += arithmetic;
}

// An SM whose tile ends and whose next begins loads nothing that counts; the latency of the next tile's first load is
// part of that time.
void SmPool::add_bubble(Lane& lane, Buffer& group, Duration bubble) {
  const Instant done = group.computed;
  group.computed = done + bubble;
  lane.can_load = std::max(lane.can_load, done + (bubble - std::min(bubble, group.latency)));
}

void SmPool::store(std::uint32_t index, std::uint32_t buffer, Instant now) {
  Lane& lane = lanes_[index];
  Buffer& group = lane.groups[buffer];
  const KernelWork& work = *kernels_[lane.kernel].work;
  const auto write = [&](Bound server, std::int64_t bytes) {
    if (bytes == 0) return;
    ask(server, index, buffer, bytes, true, now);
    ++group.pending;
  };
  write(Bound::hbm, share(work.hbm_write, work, group.first, group.last));
  write(Bound::l2, share(work.l2_write, work, group.first, group.last));
  group.stage = group.pending == 0 ? Stage::empty : Stage::storing;
  if (kernels_[lane.kernel].issued == work.tiles) give_back_surplus(lane);
}

void SmPool::give_back_surplus(Lane& lane) {
  std::int64_t needed = 0;
  for (const Buffer& group : lane.groups) {
    if (group.stage != Stage::empty) needed = std::max(needed, group.sms);
  }
  if (needed == 0)
    return;  // the lane is about to close; it keeps an SM until then, so that lanes stay within their number
  free_sms_ += lane.sms - needed;
  lane.sms = needed;
}

void SmPool::close_idle_lanes(Instant now) {
  const auto idle = [&](std::uint32_t index) {
    const Lane& lane = lanes_[index];
    if (kernels_[lane.kernel].issued < kernels_[lane.kernel].work->tiles) return false;
    return std::all_of(lane.groups.begin(), lane.groups.end(), [](const Buffer& b) { return b.stage == Stage::empty; });
  };
  std::size_t kept = 0;
  for (const std::uint32_t index : active_) {
    if (idle(index)) {
      close_lane(lanes_[index], now);
      free_lanes_.push_back(index);
    } else {
      active_[kept++] = index;
    }
  }
  active_.resize(kept);
}

void SmPool::close_lane(const Lane& lane, Instant now) {
  Kernel& kernel = kernels_[lane.kernel];
  free_sms_ += lane.sms;
  Duration& compute = kernel.taken[index_of(Bound::compute)];
  compute = std::max(compute, kernel.waited + lane.compute);
  if (--kernel.lanes > 0) return;
  const Duration tail = kernel.work->tail;  // of a kernel of its own, which waits for this one alone
  finished.send(now, {kernel.vertex, now + tail, kernel.taken}, std::max(sim::tick, tail));
  free_kernels_.push_back(lane.kernel);
}

std::string SmPool::waiting_for() const {
  if (active_.empty()) return {};
  std::array<std::uint32_t, 2> unanswered{};  // loads, stores
  for (const std::uint32_t lane : active_) {
    for (const Buffer& group : lanes_[lane].groups) unanswered[group.stage == Stage::storing ? 1 : 0] += group.pending;
  }
  return fmt::format("memories and links to answer {} loads and {} stores of {} kernels", unanswered[0], unanswered[1],
                     kernels_.size() - free_kernels_.size());
}

}  // namespace kvtraffic::hardware
