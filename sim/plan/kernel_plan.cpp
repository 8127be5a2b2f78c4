// Finding the class of a kernel in its plan.
// Leaves out reading plans (models/spec).
#include "sim/plan/kernel_plan.hpp"

#include <algorithm>

namespace kvtraffic::sim {

KernelClass KernelPlan::class_of(const Operation& operation, Architecture architecture,
                                 std::optional<Precision> precision) const {
  const OperationKind kind = operation.kind;
  const bool is_batched = operation.shape.batches > 1;
  const std::string& layers = operation.attention;
  const auto fits = [&](const KernelClass& c) {
    const bool is_of_layers = c.layers.empty() || std::ranges::find(c.layers, layers) != c.layers.end();
    const bool is_of_size = c.picked == 0 || c.picked == operation.shape.picked;
    return is_of_size && c.kind == kind && c.architecture == architecture &&
           (!c.precision || c.precision == precision) && is_of_layers &&
           (kind != OperationKind::gemm || c.batched == is_batched);
  };
  const auto found = std::ranges::find_if(classes, fits);
  return found == classes.end() ? KernelClass{.kind = kind, .architecture = architecture} : *found;
}

bool KernelPlan::folds(std::string_view operation) const {
  return std::ranges::find(folded, operation) != folded.end();
}

bool KernelPlan::runs_beside(std::string_view operation) const {
  return !in_order || std::ranges::find(beside, operation) != beside.end();
}

std::int64_t KernelPlan::small_kernels(Module module, std::string_view layers) const {
  const auto fits = [&](const SmallKernels& s) {
    return s.module == module && (s.layers.empty() || s.layers == layers);
  };
  const auto found = std::ranges::find_if(small, fits);
  return found == small.end() ? 0 : found->kernels;
}

}  // namespace kvtraffic::sim
