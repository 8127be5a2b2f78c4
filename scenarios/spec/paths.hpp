// Dotted paths into a scenario: which field one names, and whether it may be set or swept at all.
// Leaves out what lies inside a referenced entry: the room that reads the entry checks that.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/table.hpp"

namespace kvtraffic::scenarios {

// The scenario field that `path` ends in; nullptr when the path leads into a referenced entry or nowhere.
[[nodiscard]] const sim::Field* field_at(std::string_view path);

// Reports a path that no field has, at `where`. Below a reference any further key passes.
[[nodiscard]] bool check_path(std::string_view path, const sim::Mark& where, sim::Diagnostics& diagnostics);

// "workload" of "workload.batch", "layers" of "layers[2]".
[[nodiscard]] std::string_view first_key(std::string_view path);

// True when `inner` names something inside `outer`: "model.attention.top_k" in "model".
[[nodiscard]] bool is_inside(std::string_view inner, std::string_view outer);

// Reports what is wrong with `value` for the scenario field at `path`; the field must exist.
void check_value(const sim::Field& field, std::string_view path, const sim::Node& value, sim::Diagnostics& diagnostics);

// `value` as the field spells it: "4K" tokens become "4096". Values of other fields, or of none, stay.
[[nodiscard]] sim::Node canonical(const sim::Field* field, const sim::Node& value);

// Sets every value, outer paths before those inside them, so that `model` does not undo `model.attention.top_k`. A list
// item that is not written in the scenario is a fault.
void set_values(sim::Node& scenario, std::vector<std::pair<std::string, sim::Node>> values,
                sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
