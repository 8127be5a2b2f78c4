// A model lowered for prefill, and what a whole prefill or one chunk of it moves and computes.
#pragma once

#include <string>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {

struct PrefillCase {
  Model model;
  CacheFormat format;
  sim::Deployment deployment;
  Lowered lowered;

  explicit PrefillCase(const std::string& name, PrefillForm form = {}, const std::string& changes = "",
                       sim::Deployment where = {})
      : model(test::model(name, changes)),
        format(test::format("deployed")),
        deployment(where),
        lowered(lower_prefill(model, format, plan(), where, form)) {}

  [[nodiscard]] sim::Tally at(const sim::Point& point) const {
    sim::Tally tally;
    sim::tally_point(lowered.graph, deployment, point, tally);
    return tally;
  }
  [[nodiscard]] sim::Tally whole(std::int64_t context, std::int64_t batch = 1) const {
    return at(sim::Point::prefill(batch, context, 1, context));
  }

  // Logical bytes of a kind, or with `role` those of one role.
  [[nodiscard]] sim::ReadWrite logical(const sim::Tally& tally, sim::DataKind kind) const {
    return sum(tally, kind, &sim::AccessBytes::logical);
  }
  [[nodiscard]] sim::ReadWrite sectors(const sim::Tally& tally, sim::DataKind kind) const {
    return sum(tally, kind, &sim::AccessBytes::sector);
  }
  // Arithmetic of all operations of that name, in all layers.
  [[nodiscard]] double flops(const sim::Tally& tally, const std::string& operation) const {
    double total = 0;
    for (std::uint32_t o = 0; o < lowered.graph.operations().size(); ++o) {
      if (lowered.graph.operations()[o].name != operation) continue;
      for (const double part : tally.operations[o].flops_total) {
        total += static_cast<double>(lowered.graph.uses(o)) * part;
      }
    }
    return total;
  }
  [[nodiscard]] bool has(const std::string& operation) const {
    for (const sim::Operation& its : lowered.graph.operations()) {
      if (its.name == operation) return true;
    }
    return false;
  }
  // Summed over main layers, of one sequence.
  [[nodiscard]] std::int64_t layer_positions(const sim::Tally& tally) const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.main_layers); ++i) {
      total += tally.spans[lowered.graph.layers()[i].span].tokens;
    }
    return total / tally.point.batch;
  }

 private:
  [[nodiscard]] sim::ReadWrite sum(const sim::Tally& tally, sim::DataKind kind,
                                   std::int64_t sim::AccessBytes::*level) const {
    sim::ReadWrite total;
    for (std::uint32_t o = 0; o < lowered.graph.operations().size(); ++o) {
      const auto& accesses = lowered.graph.operations()[o].accesses;
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        if (accesses[i].kind != kind) continue;
        total.in(accesses[i].direction) +=
            lowered.graph.uses(o) * (tally.accesses[lowered.graph.first_access_of(o) + i].*level);
      }
    }
    return total;
  }
};

}  // namespace kvtraffic::models::test
