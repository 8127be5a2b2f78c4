// Finding the class of a kernel in its plan.
// Leaves out reading plans (models/spec).
#include "sim/plan/kernel_plan.hpp"

#include <algorithm>

namespace kvtraffic::sim {

KernelClass KernelPlan::class_of(OperationKind kind, Architecture architecture,
                                 std::optional<Precision> precision) const {
  const auto fits = [&](const KernelClass& c) {
    return c.kind == kind && c.architecture == architecture && (!c.precision || c.precision == precision);
  };
  const auto found = std::ranges::find_if(classes, fits);
  return found == classes.end() ? KernelClass{.kind = kind, .architecture = architecture} : *found;
}

}  // namespace kvtraffic::sim
