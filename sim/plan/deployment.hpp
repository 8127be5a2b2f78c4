// Which devices share what: ranks, and how a batch spreads over them. Leaves out what lies on a device
// (memory_demand.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace kvtraffic::sim {

// tensor x data = devices; the routed experts are divided over `expert` groups of devices, and each expert over the
// devices / expert devices of its group.
struct Deployment {
  std::int64_t devices = 1;
  std::int64_t tensor = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  bool engram_on_host = true;

  [[nodiscard]] std::int64_t expert_tensor() const { return devices / expert; }
  [[nodiscard]] std::int64_t fullest_requests(
      std::int64_t batch) const;  // on a data rank that has the most: ceil(batch / data)
  [[nodiscard]] std::int64_t active_data_ranks(std::int64_t batch) const;  // that have any: min(batch, data)
  // Devices of a tensor group that hold a copy of something that `ways` ranks at most can share.
  [[nodiscard]] std::int64_t copies(std::int64_t ways) const;
  // Into how many parts such a thing is divided in the group: the largest divisor of `tensor` that `ways` allows.
  [[nodiscard]] std::int64_t parts(std::int64_t ways) const;
};

struct ParallelRequest {
  std::optional<std::int64_t> tensor, data, expert;
};

// Fills in what the request leaves open. Mixture-of-experts models decode with data = expert = devices and tensor 1;
// dense models and prefill use tensor = devices, and dense models ignore `expert`. The text of an error says which rule
// is broken.
[[nodiscard]] tl::expected<Deployment, std::string> lay_out(std::int64_t devices, const ParallelRequest& request,
                                                            bool has_experts, bool prefill);

}  // namespace kvtraffic::sim
