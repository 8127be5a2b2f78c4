// A plan's points by number: which combination of entries one needs, its batch and context, and the values that tell it
// apart. Leaves out evaluating it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/run/runner.hpp"

namespace kvtraffic::scenarios {

// True for a path that changes only counts, so that everything built stays: workload.batch and workload.context.
[[nodiscard]] bool is_count(std::string_view path);

// The scenario without `sweep` and `expect`: what a point is made of.
[[nodiscard]] sim::Node unswept(const sim::Node& scenario);

class PointSpace {
 public:
  explicit PointSpace(const Plan& plan);  // keeps a reference

  [[nodiscard]] std::int64_t size() const { return size_; }
  // Equal for points that differ in counts alone.
  [[nodiscard]] std::int64_t combination(std::int64_t index) const;
  [[nodiscard]] std::optional<std::int64_t> batch(std::int64_t index) const;    // where it is swept
  [[nodiscard]] std::optional<std::int64_t> context(std::int64_t index) const;  // where it is swept
  [[nodiscard]] sim::Node scenario(std::int64_t index, sim::Diagnostics& diagnostics) const;
  // (path, value) of every swept path that a result does not name anyway, values in canonical spelling.
  void append_swept(std::int64_t index, std::vector<std::pair<std::string, sim::Node>>& parameters) const;
  // The same with every swept path, for people.
  [[nodiscard]] std::vector<std::pair<std::string, sim::Node>> described(std::int64_t index) const;

 private:
  using Shown = std::vector<std::pair<std::string, sim::Node>>;
  struct AxisSteps {
    std::int64_t length = 1;
    std::int64_t stride = 1;                   // points from one step to the next
    std::int64_t classes = 1;                  // of steps that differ in more than counts
    std::vector<std::int64_t> class_of;        // per step
    std::vector<std::int64_t> batch, context;  // per step; empty where not swept here
    std::vector<Shown> shown;                  // per step
  };
  [[nodiscard]] static AxisSteps steps_of(const Axis& axis);
  [[nodiscard]] static std::size_t step_at(const AxisSteps& axis, std::int64_t index);

  const Plan& plan_;
  std::vector<AxisSteps> axes_;
  std::int64_t size_ = 1;
};

}  // namespace kvtraffic::scenarios
