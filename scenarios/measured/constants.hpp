// The constants of kernel classes that were fitted on measured rows, so that they can be fitted again on some of them.
// Leaves out what the public sources of libraries state (tiles, split rules) and what engines count (kernels, passes).
#pragma once

#include <string>
#include <vector>

#include "models/spec/engine.hpp"

namespace kvtraffic::scenarios {

struct Constant {
  std::string engine;
  std::size_t number = 0;  // of the class in the engine's plan
  std::size_t field = 0;
  friend auto operator<=>(const Constant&, const Constant&) = default;
};

// Those of `engine` that are not zero and whose source are the rows.
[[nodiscard]] std::vector<Constant> fitted_constants(const models::Engine& engine);

// In seconds, bytes per second, or as it is.
[[nodiscard]] double value_of(const sim::KernelClass& its, std::size_t field);
void set_value(sim::KernelClass& its, std::size_t field, double value);
[[nodiscard]] std::size_t fields();

// "vllm gemm fp8 on hopper"
[[nodiscard]] std::string name_of(const std::string& engine, const sim::KernelClass& its);

// Whether constants of one can stand in for the other's: the same kind of kernel and, as far as `strict`, the same
// precision and layers.
[[nodiscard]] bool is_alike(const sim::KernelClass& a, const sim::KernelClass& b, bool strict);

}  // namespace kvtraffic::scenarios
