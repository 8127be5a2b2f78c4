// All of a point that batch and context do not change: model, format, engine and hardware read, graph built, machines
// ready. Built once per combination of the other axes; then each point is a tally and an execution.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hardware/hbm/part.hpp"
#include "hardware/spec/hardware.hpp"
#include "models/lower/lower.hpp"
#include "models/spec/engine.hpp"
#include "scenarios/spec/catalog.hpp"
#include "scenarios/spec/scenario.hpp"
#include "sim/run/chunks.hpp"
#include "sim/run/executor.hpp"
#include "sim/run/machine.hpp"

namespace kvtraffic::scenarios {

struct Setup {
  models::Model model;
  models::CacheFormat format;
  models::Engine engine;
  hardware::Hardware hardware;
  std::optional<hardware::hbm::Part> memory;  // of the device, where it names one
  sim::Deployment deployment;
  models::Lowered lowered;
  std::optional<models::Lowered> dense;  // prefill with DSA: for prompts whose every position the selection covers
  Scenario scenario;
  std::shared_ptr<hardware::DramWindows> windows;  // that machines of the same parts share

  [[nodiscard]] const models::Lowered& lowered_for(std::int64_t context) const;
};

// Reads and builds everything that `scenario` names. Faults go to `diagnostics` (then nullptr).
[[nodiscard]] std::shared_ptr<const Setup> build_setup(const Scenario& scenario, const Catalog& catalog,
                                                       const std::string& beside, sim::Diagnostics& diagnostics);

// Evaluates points of one setup; holds the buffers, so one per thread.
class Evaluator {
 public:
  explicit Evaluator(std::shared_ptr<const Setup> setup);
  // Status, storage, traffic, time, throughput and warnings; the caller fills `parameters`.
  [[nodiscard]] sim::PointResult evaluate(std::int64_t batch, std::int64_t context, sim::Detail detail);
  [[nodiscard]] const Setup& setup() const { return *setup_; }

  // What the last evaluated point was computed from, all chunks together; meaningless before, and for points without
  // time.
  [[nodiscard]] const models::Lowered& lowered() const { return *lowered_; }
  [[nodiscard]] const sim::Tally& tally() const { return tally_; }
  [[nodiscard]] const sim::Outcome& bound() const { return is_chunked_ ? bound_sum_.sum() : bound_; }  // the roofline's
  [[nodiscard]] const sim::Outcome& outcome() const {
    if (!machine_) return bound();
    return is_chunked_ ? outcome_sum_.sum() : outcome_;
  }
  [[nodiscard]] std::string_view saving_reason() const { return (machine_ ? *machine_ : *roofline_).saving_reason(); }

 private:
  [[nodiscard]] sim::PointResult computed(std::int64_t batch, std::int64_t context, sim::Detail detail);
  void add_work(std::int64_t batch, std::int64_t context, sim::PointResult& result);
  void add_time(std::int64_t batch, std::int64_t context, sim::Detail detail, sim::PointResult& result);
  // The point's chunks, in order; a decode step is one.
  [[nodiscard]] std::int64_t chunks(std::int64_t context) const;
  [[nodiscard]] sim::Point chunk(std::int64_t batch, std::int64_t context, std::int64_t number) const;
  [[nodiscard]] sim::Point positions_of_chunk(std::int64_t batch, std::int64_t context, std::int64_t number) const;
  void tally_all(std::int64_t batch, std::int64_t context);
  void execute_all(std::int64_t batch, std::int64_t context);
  [[nodiscard]] std::int64_t layer_positions() const;

  std::shared_ptr<const Setup> setup_;
  std::unique_ptr<sim::Machine> roofline_;
  std::unique_ptr<sim::Machine> machine_;  // nullptr when the fidelity is roofline
  const models::Lowered* lowered_;         // of the last point
  bool is_chunked_ = false;
  sim::Tally tally_, chunk_tally_;
  sim::Outcome bound_, outcome_;
  sim::OutcomeSum bound_sum_, outcome_sum_;
};

}  // namespace kvtraffic::scenarios
