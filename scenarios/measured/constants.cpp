// One line a constant. A class takes its source from its own line of the engine's file, or from the field's.
#include "scenarios/measured/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

namespace kvtraffic::scenarios {
namespace {

using sim::KernelClass;

using Member = std::variant<sim::Duration KernelClass::*, sim::Bandwidth KernelClass::*, double KernelClass::*>;
struct Field {
  std::string_view name;
  Member member;
};

constexpr std::array<Field, 13> all_fields{{{"start", &KernelClass::start},
                                            {"bubble", &KernelClass::bubble},
                                            {"soft", &KernelClass::soft},
                                            {"piece", &KernelClass::piece},
                                            {"combine", &KernelClass::combine},
                                            {"group", &KernelClass::group},
                                            {"slow", &KernelClass::slow},
                                            {"outside", &KernelClass::outside},
                                            {"load_rate", &KernelClass::load_rate},
                                            {"efficiency", &KernelClass::efficiency},
                                            {"exposed", &KernelClass::exposed},
                                            {"panels", &KernelClass::panels},
                                            {"refetch", &KernelClass::refetch}}};

bool is_from_rows(const models::Engine& engine, std::size_t number, std::string_view field) {
  const auto found = engine.provenance.find(fmt::format("kernels[{}].{}", number, field));
  return found != engine.provenance.end() && found->second.source == "rows";
}

// Shares of something whole.
bool is_share(std::size_t field) {
  const std::string_view name = all_fields[field].name;
  return name == "efficiency" || name == "panels" || name == "refetch";
}

}  // namespace

std::size_t fields() { return all_fields.size(); }

double value_of(const KernelClass& its, std::size_t field) {
  const Member& member = all_fields[field].member;
  if (const auto* time = std::get_if<sim::Duration KernelClass::*>(&member)) return (its.**time).seconds();
  if (const auto* rate = std::get_if<sim::Bandwidth KernelClass::*>(&member)) return (its.**rate).per_second();
  return its.*std::get<double KernelClass::*>(member);
}

void set_value(KernelClass& its, std::size_t field, double value) {
  const Member& member = all_fields[field].member;
  if (const auto* time = std::get_if<sim::Duration KernelClass::*>(&member)) {
    its.** time = sim::Duration::of_seconds(value);
  } else if (const auto* rate = std::get_if<sim::Bandwidth KernelClass::*>(&member)) {
    its.** rate = sim::Bandwidth::per_second(value);
  } else {
    its.*std::get<double KernelClass::*>(member) = is_share(field) ? std::min(value, 1.0) : value;
  }
}

std::vector<Constant> fitted_constants(const models::Engine& engine) {
  std::vector<Constant> result;
  for (std::size_t number = 0; number < engine.plan.classes.size(); ++number) {
    for (std::size_t field = 0; field < all_fields.size(); ++field) {
      const bool is_stated = value_of(engine.plan.classes[number], field) > 0;
      if (is_stated && is_from_rows(engine, number, all_fields[field].name)) {
        result.push_back({engine.plan.name, number, field});
      }
    }
  }
  return result;
}

std::string name_of(const std::string& engine, const KernelClass& its) {
  std::string text = fmt::format("{} {}", engine, sim::operation_kind_names[static_cast<std::size_t>(its.kind)]);
  if (its.batched) text += " batched";
  if (its.precision) text += fmt::format(" {}", sim::name_of(*its.precision));
  for (const std::string& layers : its.layers) text += (&layers == its.layers.data() ? " of " : ", ") + layers;
  return text + fmt::format(" on {}", sim::architecture_names[static_cast<std::size_t>(its.architecture)]);
}

bool is_alike(const KernelClass& a, const KernelClass& b, bool strict) {
  if (a.kind != b.kind || a.batched != b.batched) return false;
  return !strict || (a.precision == b.precision && a.layers == b.layers);
}

}  // namespace kvtraffic::scenarios
