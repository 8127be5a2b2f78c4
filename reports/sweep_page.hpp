// Several points as one page: a compact row each, what failed and why, and straight lines through a single numeric
// axis. Leaves out layers and operations; those belong to one point.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reports/page.hpp"
#include "sim/run/result.hpp"

namespace kvtraffic::reports {

// The few numbers of a point that a row needs, so that a long sweep need not be kept whole.
struct SweepRow {
  std::vector<sim::Node> parameters;  // in the order of SweepSummary's names; null where the point has none
  sim::Status status = sim::Status::ok;
  std::string reason;
  std::string bound_by;
  std::optional<double> seconds;
  std::optional<double> tokens_per_second;
  std::optional<double> tokens_per_second_per_user;
  std::optional<double> kv_read;     // logical, per sequence
  std::optional<double> index_read;  // logical, per sequence
  std::optional<double> dram;        // read and write, whole step
  std::optional<double> used;        // share of the fullest device's capacity
  std::optional<double> max_batch;
  std::optional<double> cache_bytes;  // logical KV and index keys, read and write, whole step
};

class SweepSummary {
 public:
  void add(const sim::PointResult& point);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] Page page() const;

 private:
  struct Axis;  // a parameter that varies

  void count_warning(const std::string& warning);
  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view name) const;
  [[nodiscard]] bool varies(std::size_t parameter) const;
  [[nodiscard]] std::vector<Axis> axes() const;
  [[nodiscard]] std::string title(const std::vector<Axis>& axes) const;
  [[nodiscard]] TextTable table(const std::vector<Axis>& axes) const;
  [[nodiscard]] Section points_section(const std::vector<Axis>& axes) const;
  [[nodiscard]] Section fit_section(const std::vector<Axis>& axes) const;
  [[nodiscard]] Section warnings_section() const;

  std::vector<std::string> names_;
  std::vector<SweepRow> rows_;
  std::vector<std::pair<std::string, std::size_t>> warnings_;  // each with the number of points that had it
};

}  // namespace kvtraffic::reports
