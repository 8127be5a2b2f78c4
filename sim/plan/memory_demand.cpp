// Storage and capacity: what a request and the weights take, how many requests fit, how long they may become.
#include "sim/plan/memory_demand.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/units/format.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

std::int64_t bytes_on_device(const StoredTensor& tensor, const Deployment& deployment) {
  if (tensor.place != Place::device) return 0;
  switch (tensor.split) {
    case StoredTensor::Split::replicated:
      return checked_multiply(tensor.copies, tensor.bytes);
    case StoredTensor::Split::tensor:
      return checked_multiply(tensor.copies, ceil_divide(tensor.bytes, deployment.tensor));
    case StoredTensor::Split::expert:
      return checked_multiply(ceil_divide(tensor.copies, deployment.expert),
                              ceil_divide(tensor.bytes, deployment.expert_tensor()));
  }
  return 0;
}

std::int64_t reserve_of(const MemoryLimits& limits) {
  if (limits.reserve >= 1) return limits.capacity_per_device;
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(limits.capacity_per_device) * limits.reserve));
}

bool fits_device(const Storage& storage) {
  return storage.used_bytes_per_device <= storage.capacity_bytes_per_device - storage.reserve_bytes_per_device;
}

bool fits_host(const Storage& storage) {
  return storage.host_capacity_bytes == 0 || storage.host_bytes <= storage.host_capacity_bytes;
}

// What is left on a device for caches; negative when the weights alone do not fit, there or on the host.
std::int64_t room_for_caches(const Storage& storage) {
  if (!fits_host(storage)) return -1;
  return storage.capacity_bytes_per_device - storage.reserve_bytes_per_device - storage.weight_bytes_per_device;
}

std::int64_t largest_batch(std::int64_t room, std::int64_t bytes_per_request, const Deployment& deployment) {
  if (room < 0) return 0;
  if (bytes_per_request == 0) return INT64_MAX;  // nothing is kept, so nothing runs out
  const std::int64_t requests = room / bytes_per_request;
  return requests > INT64_MAX / deployment.data ? INT64_MAX : requests * deployment.data;
}

// The largest context in 1..limit that `fits`, which holds up to some length and not beyond; 0 if there is none.
// Doubling first keeps the questions near the answer, where bytes are far from overflowing.
template <class Fits>
std::int64_t longest(std::int64_t limit, const Fits& fits) {
  std::int64_t good = 0;
  std::int64_t bad = 1;
  while (bad <= limit && fits(bad)) {
    good = bad;
    if (good == limit) return limit;
    bad = bad > limit / 2 ? limit : bad * 2;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

std::int64_t StoredCache::entries(std::int64_t context) const { return ratio > 0 ? context / ratio : fixed; }

std::int64_t StoredCache::stored(std::int64_t context) const {
  return checked_multiply(layers, layout.stored(entries(context)));
}

std::int64_t StoredCache::allocated(std::int64_t context) const {
  return checked_multiply(layers, layout.allocated(entries(context)));
}

double MemoryDemand::growing_bytes_per_token() const {
  double bytes = 0;
  for (const StoredCache& cache : caches) {
    if (cache.ratio == 0) continue;
    const std::int64_t entries = checked_multiply(cache.layers, cache.layout.entry_bytes());
    bytes += static_cast<double>(entries) / static_cast<double>(cache.ratio);
  }
  return bytes;
}

std::int64_t MemoryDemand::stored_per_request(std::int64_t context, DataKind kind) const {
  std::int64_t bytes = 0;
  for (const StoredCache& cache : caches) {
    if (cache.kind == kind) bytes = checked_add(bytes, cache.stored(context));
  }
  return bytes;
}

std::int64_t MemoryDemand::cache_per_request(std::int64_t context) const {
  std::int64_t bytes = 0;
  for (const StoredCache& cache : caches) bytes = checked_add(bytes, cache.stored(context));
  return bytes;
}

std::int64_t MemoryDemand::allocated_per_request(std::int64_t context) const {
  std::int64_t bytes = 0;
  for (const StoredCache& cache : caches) bytes = checked_add(bytes, cache.allocated(context));
  return bytes;
}

std::int64_t MemoryDemand::allocated_per_device(std::int64_t context, const Deployment& deployment) const {
  std::int64_t bytes = 0;
  for (const StoredCache& cache : caches) {
    bytes = checked_add(bytes, ceil_divide(cache.allocated(context), deployment.parts(cache.ways)));
  }
  return bytes;
}

std::int64_t MemoryDemand::weights_per_device(const Deployment& deployment) const {
  std::int64_t bytes = 0;
  for (const StoredTensor& tensor : tensors) bytes = checked_add(bytes, bytes_on_device(tensor, deployment));
  return bytes;
}

std::int64_t MemoryDemand::host_bytes() const {
  std::int64_t bytes = 0;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.place == Place::host) bytes = checked_add(bytes, checked_multiply(tensor.copies, tensor.bytes));
  }
  return bytes;
}

Storage storage_at(const MemoryDemand& demand, const Deployment& deployment, const MemoryLimits& limits,
                   std::int64_t batch, std::int64_t context) {
  Storage storage;
  storage.growing_bytes_per_token = demand.growing_bytes_per_token();
  storage.local_bytes_per_request = demand.stored_per_request(context, DataKind::kv_local);
  storage.state_bytes_per_request = demand.stored_per_request(context, DataKind::state);
  storage.cache_bytes_per_request = demand.cache_per_request(context);
  storage.allocated_bytes_per_request = demand.allocated_per_request(context);
  storage.weight_bytes_per_device = demand.weights_per_device(deployment);
  storage.capacity_bytes_per_device = limits.capacity_per_device;
  storage.reserve_bytes_per_device = reserve_of(limits);
  storage.host_bytes = demand.host_bytes();
  storage.host_capacity_bytes = limits.host_capacity;

  const std::int64_t requests = deployment.fullest_requests(batch);
  const std::int64_t request_bytes = demand.allocated_per_device(context, deployment);
  const std::int64_t room = room_for_caches(storage);
  storage.used_bytes_per_device =
      checked_add(storage.weight_bytes_per_device, checked_multiply(requests, request_bytes));
  storage.max_batch = largest_batch(room, request_bytes, deployment);
  storage.max_context = longest(limits.max_positions, [&](std::int64_t length) {
    return checked_multiply(requests, demand.allocated_per_device(length, deployment)) <= room;
  });
  return storage;
}

bool fits(const Storage& storage) { return fits_device(storage) && fits_host(storage); }

std::string shortfall_text(const Storage& storage) {
  const auto human = [](std::int64_t bytes) { return to_text(Bytes::of(bytes)); };
  std::vector<std::string> needs;
  if (!fits_device(storage)) {
    const std::int64_t available = storage.capacity_bytes_per_device - storage.reserve_bytes_per_device;
    needs.push_back(fmt::format("needs {} ({} B) a device, has {} ({} less {} reserve)",
                                human(storage.used_bytes_per_device), with_commas(storage.used_bytes_per_device),
                                human(available), human(storage.capacity_bytes_per_device),
                                human(storage.reserve_bytes_per_device)));
  }
  if (!fits_host(storage)) {
    needs.push_back(fmt::format("needs {} ({} B) of host memory, has {}", human(storage.host_bytes),
                                with_commas(storage.host_bytes), human(storage.host_capacity_bytes)));
  }
  return fmt::format("{}", fmt::join(needs, "; "));
}

}  // namespace kvtraffic::sim
