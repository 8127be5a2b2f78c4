// The rules by which devices are divided into ranks, and what each rank then holds.
#include "sim/plan/deployment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "sim/graph/operation.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

using Fault = std::optional<std::string>;

Fault not_positive(std::string_view name, std::optional<std::int64_t> value) {
  if (!value || *value >= 1) return std::nullopt;
  return fmt::format("{} must be at least 1, not {}", name, *value);
}

Fault not_dividing(std::string_view name, std::optional<std::int64_t> value, std::int64_t devices) {
  if (!value || devices % *value == 0) return std::nullopt;
  return fmt::format("{} {} does not divide {} devices", name, *value, devices);
}

Fault fault_of_signs(std::int64_t devices, const ParallelRequest& request) {
  if (devices < 1) return fmt::format("a deployment needs at least 1 device, not {}", devices);
  if (Fault fault = not_positive("tensor", request.tensor)) return fault;
  if (Fault fault = not_positive("data", request.data)) return fault;
  return not_positive("expert", request.expert);
}

Fault fault_of_ranks(std::int64_t devices, const ParallelRequest& request) {
  if (!request.tensor || !request.data) {
    if (Fault fault = not_dividing("tensor", request.tensor, devices)) return fault;
    return not_dividing("data", request.data, devices);
  }
  const __int128 ranks = static_cast<__int128>(*request.tensor) * *request.data;
  if (ranks == devices) return std::nullopt;
  return fmt::format("tensor {} x data {} = {} is not the {} devices", *request.tensor, *request.data, ranks, devices);
}

std::int64_t chosen_tensor(std::int64_t devices, const ParallelRequest& request, bool one_rank_per_device) {
  if (request.tensor) return *request.tensor;
  if (request.data) return devices / *request.data;
  return one_rank_per_device ? 1 : devices;
}

}  // namespace

std::int64_t Deployment::fullest_requests(std::int64_t batch) const { return ceil_divide(batch, data); }

std::int64_t Deployment::active_data_ranks(std::int64_t batch) const { return std::min(batch, data); }

std::int64_t Deployment::copies(std::int64_t ways) const { return tensor / parts(ways); }

// A divisor of `ways` too: each rank then gets equally many of the things that are shared (heads, expert columns).
std::int64_t Deployment::parts(std::int64_t ways) const {
  if (ways == divides_freely) return tensor;
  return ways == 1 ? 1 : std::gcd(tensor, ways);
}

tl::expected<Deployment, std::string> lay_out(std::int64_t devices, const ParallelRequest& request, bool has_experts,
                                              bool prefill) {
  if (Fault fault = fault_of_signs(devices, request)) return tl::unexpected(*fault);
  if (Fault fault = fault_of_ranks(devices, request)) return tl::unexpected(*fault);
  if (has_experts) {
    if (Fault fault = not_dividing("expert", request.expert, devices)) return tl::unexpected(*fault);
  }
  Deployment deployment;
  deployment.devices = devices;
  deployment.tensor = chosen_tensor(devices, request, has_experts && !prefill);
  deployment.data = devices / deployment.tensor;
  deployment.expert = has_experts ? request.expert.value_or(devices) : 1;
  return deployment;
}

}  // namespace kvtraffic::sim
