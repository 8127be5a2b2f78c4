// Running points: combinations are built once, points are evaluated in parallel and told in order.
// Leaves out what a point is worth (setup.cpp) and how it is told (reports).
#include "scenarios/run/runner.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>

#include "scenarios/run/points.hpp"
#include "scenarios/run/setup.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Diagnostics;
using sim::Node;
using sim::PointResult;

constexpr std::size_t most_setups_kept = 64;      // of a few hundred kilobytes each
constexpr std::size_t most_evaluators_kept = 32;  // per thread
constexpr std::int64_t largest_chunk = 64;        // points that a thread takes at a time

// A combination, built; or why it cannot be.
struct Built {
  std::shared_ptr<const Setup> setup;
  std::string reason;
  std::vector<std::pair<std::string, Node>> names;  // the parameters that all its points share
  std::int64_t batch = 0;
  std::int64_t context = 0;
};

std::string_view name_of(Fidelity fidelity) {
  return fidelity == Fidelity::roofline ? "roofline" : fidelity == Fidelity::flow ? "flow" : "cycle";
}

// What a reference calls its entry, where the entry could not be read.
std::string name_in(const Node& reference) {
  const Node* name = reference.find("name");
  if (name == nullptr) name = reference.find("extends");
  return name == nullptr ? reference.text() : name->text();
}

void name_parameters(const Scenario& scenario, Built& built) {
  const Setup* setup = built.setup.get();
  const auto add = [&](const char* key, const Node& reference, const std::string& read) {
    built.names.emplace_back(key, Node::scalar(setup == nullptr ? name_in(reference) : read, {}, true));
  };
  add("model", scenario.model, setup == nullptr ? "" : setup->model.name);
  add("hardware", scenario.hardware, setup == nullptr ? "" : setup->hardware.name);
  add("format", scenario.format, setup == nullptr ? "" : setup->format.name);
  add("engine", scenario.engine, setup == nullptr ? "" : setup->engine.plan.name);
  built.names.emplace_back(
      "fidelity", Node::scalar(std::string(name_of(setup == nullptr ? scenario.fidelity : setup->scenario.fidelity))));
  built.names.emplace_back("phase", Node::scalar(scenario.phase == Phase::decode ? "decode" : "prefill"));
}

std::string first_error(const Diagnostics& faults) {
  if (!faults.has_errors()) return "cannot be built";
  const sim::Diagnostic& first = faults.all().front();
  return first.path.empty() ? first.message : fmt::format("{}: {}", first.path, first.message);
}

Built build(const PointSpace& points, std::int64_t index, const Catalog& catalog, const std::string& beside) {
  Built built;
  Diagnostics faults;
  const Scenario scenario = read_scenario(points.scenario(index, faults), faults);
  try {
    if (!faults.has_errors()) built.setup = build_setup(scenario, catalog, beside, faults);
    if (!built.setup) built.reason = first_error(faults);
  } catch (const sim::OverflowError& fault) {
    built.reason = fault.what();
  }
  name_parameters(scenario, built);
  built.batch = scenario.batch;
  built.context = scenario.context;
  return built;
}

// Combinations built once for all threads; the oldest is let go when there are many.
class SetupCache {
 public:
  SetupCache(const PointSpace& points, const Catalog& catalog, const std::string& beside)
      : points_(points), catalog_(catalog), beside_(beside) {}

  std::shared_ptr<const Built> get(std::int64_t combination, std::int64_t index) {
    const std::shared_ptr<Slot> slot = slot_of(combination);
    std::call_once(slot->once,
                   [&] { slot->built = std::make_shared<const Built>(build(points_, index, catalog_, beside_)); });
    return slot->built;
  }

 private:
  struct Slot {
    std::once_flag once;
    std::shared_ptr<const Built> built;
  };

  std::shared_ptr<Slot> slot_of(std::int64_t combination) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& slot = slots_[combination];
    if (slot) return slot;
    slot = std::make_shared<Slot>();
    order_.push_back(combination);
    std::shared_ptr<Slot> result = slot;
    if (order_.size() > most_setups_kept) {
      slots_.erase(order_.front());
      order_.erase(order_.begin());
    }
    return result;
  }

  const PointSpace& points_;
  const Catalog& catalog_;
  const std::string& beside_;
  std::mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<Slot>> slots_;
  std::vector<std::int64_t> order_;
};

// What one thread works with: an evaluator for each combination it met lately.
class Bench {
 public:
  struct Place {
    std::int64_t combination = -1;
    std::shared_ptr<const Built> built;
    std::unique_ptr<Evaluator> evaluator;  // nullptr when the combination cannot be built
  };

  Place& at(std::int64_t combination, std::int64_t index, SetupCache& cache) {
    const auto found = std::ranges::find(places_, combination, &Place::combination);
    if (found != places_.end()) return *found;
    if (places_.size() == most_evaluators_kept) places_.erase(places_.begin());
    Place& place = places_.emplace_back();
    place.combination = combination;
    place.built = cache.get(combination, index);
    if (place.built->setup) place.evaluator = std::make_unique<Evaluator>(place.built->setup);
    return place;
  }

 private:
  std::vector<Place> places_;
};

class Run {
 public:
  Run(const Plan& plan, const Catalog& catalog, sim::Detail detail, const std::atomic<bool>& stop)
      : points_(plan), cache_(points_, catalog, plan.beside), detail_(detail), stop_(stop) {}

  [[nodiscard]] std::int64_t size() const { return points_.size(); }
  [[nodiscard]] bool is_stopped() const { return stop_.load(std::memory_order_relaxed); }

  PointResult evaluate(std::int64_t index, Bench& bench) {
    Bench::Place& place = bench.at(points_.combination(index), index, cache_);
    const std::int64_t batch = points_.batch(index).value_or(place.built->batch);
    const std::int64_t context = points_.context(index).value_or(place.built->context);
    PointResult result;
    if (place.evaluator) {
      result = place.evaluator->evaluate(batch, context, detail_);
    } else {
      result.status = sim::Status::failed;
      result.reason = place.built->reason;
    }
    result.parameters = place.built->names;
    result.parameters.emplace_back("batch", Node::scalar(fmt::format_int(batch).str()));
    result.parameters.emplace_back("context_tokens", Node::scalar(fmt::format_int(context).str()));
    points_.append_swept(index, result.parameters);
    return result;
  }

 private:
  PointSpace points_;
  SetupCache cache_;
  sim::Detail detail_;
  const std::atomic<bool>& stop_;
};

// Hands results on and counts them.
class Teller {
 public:
  explicit Teller(const std::function<void(const PointResult&)>& sink) : sink_(sink) {}
  void tell(const PointResult& result) {
    if (result.status == sim::Status::ok) ++summary_.ok;
    if (result.status == sim::Status::infeasible) ++summary_.infeasible;
    if (result.status == sim::Status::failed) ++summary_.failed;
    sink_(result);
  }
  [[nodiscard]] const RunSummary& summary() const { return summary_; }

 private:
  const std::function<void(const PointResult&)>& sink_;
  RunSummary summary_;
};

void run_alone(Run& run, Teller& teller) {
  Bench bench;
  for (std::int64_t index = 0; index < run.size() && !run.is_stopped(); ++index)
    teller.tell(run.evaluate(index, bench));
}

// Points that stand next to one another, so that threads seldom meet. Fewer results than points: the run was stopped.
struct Chunk {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::vector<PointResult> results;
};
using ChunkPointer = std::shared_ptr<Chunk>;

ChunkPointer next_chunk(const Run& run, std::int64_t& next, std::int64_t length) {
  auto chunk = std::make_shared<Chunk>();
  chunk->first = next;
  chunk->count = std::min(length, run.size() - next);
  next += chunk->count;
  return chunk;
}

void evaluate_chunk(Run& run, Chunk& chunk, Bench& bench) {
  for (std::int64_t i = 0; i < chunk.count && !run.is_stopped(); ++i) {
    chunk.results.push_back(run.evaluate(chunk.first + i, bench));
  }
}

// A stopped chunk ends the results: what follows would leave a gap.
void tell_chunk(const Chunk& chunk, Teller& teller, bool& is_cut) {
  if (is_cut) return;
  for (const PointResult& result : chunk.results) teller.tell(result);
  is_cut = static_cast<std::int64_t>(chunk.results.size()) < chunk.count;
}

void run_pipeline(Run& run, int jobs, Teller& teller) {
  const std::int64_t length = std::clamp<std::int64_t>(run.size() / (std::int64_t{jobs} * 8), 1, largest_chunk);
  tbb::enumerable_thread_specific<Bench> benches;
  std::int64_t next = 0;
  bool is_cut = false;
  // An exception ends the run in order: thrown through the pipeline, it would leak the chunks under way.
  std::atomic<bool> is_failed = false;
  std::exception_ptr fault;
  const auto guarded = [&](const auto& step) {
    try {
      if (!is_failed) step();
    } catch (...) {
      if (!is_failed.exchange(true)) fault = std::current_exception();
    }
  };
  const auto feed = [&](tbb::flow_control& control) -> ChunkPointer {
    if (next < run.size() && !run.is_stopped() && !is_failed) return next_chunk(run, next, length);
    control.stop();
    return nullptr;
  };
  const auto work = [&](const ChunkPointer& chunk) {
    guarded([&] { evaluate_chunk(run, *chunk, benches.local()); });
    return chunk;
  };
  const auto tell = [&](const ChunkPointer& chunk) { guarded([&] { tell_chunk(*chunk, teller, is_cut); }); };
  tbb::parallel_pipeline(static_cast<std::size_t>(jobs) * 4,
                         tbb::make_filter<void, ChunkPointer>(tbb::filter_mode::serial_in_order, feed) &
                             tbb::make_filter<ChunkPointer, ChunkPointer>(tbb::filter_mode::parallel, work) &
                             tbb::make_filter<ChunkPointer, void>(tbb::filter_mode::serial_in_order, tell));
  if (fault) std::rethrow_exception(fault);
}

void run_together(Run& run, int jobs, Teller& teller) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(jobs));
  tbb::task_arena arena(jobs);
  arena.execute([&] { run_pipeline(run, jobs, teller); });
}

void check_number_of_points(const Plan& plan, std::int64_t most) {
  if (plan.sweep.size() <= most) return;
  const Node* sweep = plan.node.find("sweep");
  Diagnostics faults;
  faults.error(sweep == nullptr ? plan.node.mark() : sweep->mark(), "sweep",
               fmt::format("has {} points", sim::with_commas(plan.sweep.size())),
               fmt::format("at most {}, or a larger --max-points", sim::with_commas(most)));
  throw sim::ConfigError(faults);
}

}  // namespace

RunSummary run_points(const Plan& plan, const Catalog& catalog, const RunOptions& options,
                      const std::function<void(const PointResult&)>& sink, const std::atomic<bool>& stop) {
  check_number_of_points(plan, options.max_points);
  Run run(plan, catalog, options.detail, stop);
  Teller teller(sink);
  if (options.jobs <= 1 || run.size() == 1) {
    run_alone(run, teller);
  } else {
    run_together(run, options.jobs, teller);
  }
  return teller.summary();
}

}  // namespace kvtraffic::scenarios
