// Reading a sweep into axes, and the mixed-radix numbering of its points.
// Leaves out the forms of an axis (sweep_values.cpp) and setting the values (set_value.cpp).
#include "scenarios/spec/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/spec/paths.hpp"
#include "scenarios/spec/sweep_values.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Mark;
using sim::Node;

constexpr std::int64_t most_points = 1'000'000'000;
constexpr std::int64_t most_values = 2 * most_axis_values;  // of all axes together: they are kept in memory

Mark place_of(const Node::Member& member) { return member.value.mark().file ? member.value.mark() : member.key_mark; }

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::vector<Axis> read(const Node& sweep) {
    for (const Node::Member& member : sweep.members()) {
      member.key == "zip" ? add_zip(member) : add_single(member);
      if (is_too_large(sweep.mark())) return {};
    }
    return std::move(axes_);
  }

 private:
  // The values of one path; empty after a fault.
  std::vector<Node> values_of(const Node::Member& member, const std::string& prefix) {
    if (!check_path(member.key, member.key_mark, diagnostics_)) return {};
    const std::string shown = prefix + member.key;
    if (!taken_.insert(member.key).second) {
      diagnostics_.error(member.key_mark, shown, "is swept twice");
      return {};
    }
    if (const std::string* other = overlapping(member)) {
      diagnostics_.error(member.key_mark, shown, fmt::format("is swept twice: '{}' is swept too", *other));
      return {};
    }
    if (member.value.is_null()) {
      diagnostics_.error(member.key_mark, shown, "has no values");
      return {};
    }
    return axis_values(member.value, field_at(member.key), shown, diagnostics_);
  }

  // Another swept path inside or around this one. A key below a swept reference changes each entry that it names, and
  // one value of --set holds for all of an axis: those two do not overlap.
  const std::string* overlapping(const Node::Member& member) const {
    const Mark& where = member.value.mark();
    const bool is_setting = member.value.is_list() && member.value.items().size() == 1 && where.file != nullptr &&
                            where.file->name == "<--set>";
    const auto overlap = [](const std::string& outer, const std::string& inner) {
      const sim::Field* field = field_at(outer);
      return is_inside(inner, outer) && (field == nullptr || field->type != sim::Type::reference);
    };
    if (is_setting) return nullptr;
    const auto other = std::ranges::find_if(
        taken_, [&](const std::string& path) { return overlap(path, member.key) || overlap(member.key, path); });
    return other == taken_.end() ? nullptr : &*other;
  }

  void add_single(const Node::Member& member) {
    Axis axis{{member.key}, {}};
    for (Node& value : values_of(member, "sweep.")) axis.values.push_back({std::move(value)});
    if (!axis.values.empty()) axes_.push_back(std::move(axis));
  }

  void add_zip(const Node::Member& zip) {
    if (!zip.value.is_map() || zip.value.members().empty()) {
      diagnostics_.error(place_of(zip), "sweep.zip", "does not say which paths",
                         "a map of paths, each with as many values as the others");
      return;
    }
    std::vector<std::vector<Node>> columns;
    bool is_complete = true;
    for (const Node::Member& member : zip.value.members()) {
      columns.push_back(values_of(member, "sweep.zip."));
      is_complete = is_complete && !columns.back().empty();
    }
    if (is_complete && have_equal_lengths(zip, columns)) tie(zip, columns);
  }

  bool have_equal_lengths(const Node::Member& zip, const std::vector<std::vector<Node>>& columns) {
    const auto& members = zip.value.members();
    for (std::size_t i = 1; i < columns.size(); ++i) {
      if (columns[i].size() == columns[0].size()) continue;
      diagnostics_.error(place_of(members[i]), "sweep.zip",
                         fmt::format("'{}' has {} values and '{}' has {}", members[0].key, columns[0].size(),
                                     members[i].key, columns[i].size()),
                         "tied paths with equally many values");
      return false;
    }
    return true;
  }

  void tie(const Node::Member& zip, std::vector<std::vector<Node>>& columns) {
    Axis axis;
    for (const Node::Member& member : zip.value.members()) axis.paths.push_back(member.key);
    for (std::size_t step = 0; step < columns[0].size(); ++step) {
      std::vector<Node>& values = axis.values.emplace_back();
      for (std::vector<Node>& column : columns) values.push_back(std::move(column[step]));
    }
    axes_.push_back(std::move(axis));
  }

  // Asked after every axis, so that what is too much is never counted out.
  bool is_too_large(const Mark& where) {
    std::int64_t points = 1;
    std::int64_t values = 0;
    for (const Axis& axis : axes_) {
      const auto steps = static_cast<std::int64_t>(axis.values.size());
      values += steps * static_cast<std::int64_t>(axis.paths.size());
      if (points > most_points / steps) {
        diagnostics_.error(where, "sweep", fmt::format("has more than {} points", sim::with_commas(most_points)));
        return true;
      }
      points *= steps;
    }
    if (values <= most_values) return false;
    diagnostics_.error(where, "sweep", fmt::format("names more than {} values", sim::with_commas(most_values)));
    return true;
  }

  Diagnostics& diagnostics_;
  std::vector<Axis> axes_;
  std::set<std::string> taken_;
};

}  // namespace

Sweep Sweep::read(const Node& scenario, Diagnostics& diagnostics) {
  Sweep result;
  const Node* sweep = scenario.find("sweep");
  if (sweep == nullptr || sweep->is_null()) return result;
  if (sweep->is_map()) {
    result.axes_ = Reader(diagnostics).read(*sweep);
  } else {
    diagnostics.error(sweep->mark(), "sweep", "is no map",
                      "paths and their values, such as workload.batch: [1, 8, 64]");
  }
  return result;
}

std::int64_t Sweep::size() const {
  std::int64_t points = 1;
  for (const Axis& axis : axes_) points *= static_cast<std::int64_t>(axis.values.size());
  return points;
}

std::vector<std::pair<std::string, Node>> Sweep::at(std::int64_t index) const {
  std::vector<std::size_t> steps(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    const auto length = static_cast<std::int64_t>(axes_[a].values.size());
    steps[a] = static_cast<std::size_t>(index % length);
    index /= length;
  }
  std::vector<std::pair<std::string, Node>> values;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    for (std::size_t p = 0; p < axes_[a].paths.size(); ++p) {
      values.emplace_back(axes_[a].paths[p], axes_[a].values[steps[a]][p]);
    }
  }
  return values;
}

}  // namespace kvtraffic::scenarios
