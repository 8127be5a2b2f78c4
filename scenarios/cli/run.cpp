// `run` and `check`: a scenario's points evaluated and told, or only counted.
// Leaves out evaluation (scenarios/run) and formats (reports).
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "reports/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/load.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/record_buffer.hpp"
#include "scenarios/cli/tell.hpp"
#include "scenarios/cli/terminal.hpp"
#include "scenarios/cli/timeline.hpp"
#include "scenarios/run/points.hpp"
#include "sim/config/io_error.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Node;
using sim::PointResult;

constexpr std::int64_t rows_of_dry_run = 10;

int jobs_of(const RunArguments& arguments) {
  if (arguments.jobs > 0) return arguments.jobs;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

RunOptions options_of(const RunArguments& arguments, const Plan& plan) {
  RunOptions options;
  options.jobs = jobs_of(arguments);
  options.max_points = arguments.max_points;
  options.detail.layers = arguments.layers || plan.sweep.size() == 1;
  options.detail.operations = arguments.operations || !arguments.timeline.empty();
  return options;
}

// Tells points as they come. The document is begun with the first, so that a refused run leaves standard output empty.
class Telling {
 public:
  Telling(const RunArguments& arguments, const Plan& plan)
      : writer_(make_writer(arguments.format, {wants_colour(arguments.color), arguments.layers, arguments.operations},
                            out_)),
        progress_(arguments.progress, plan.sweep.size()) {
    head_.version = KVTRAFFIC_VERSION;
    head_.scenario = plan.resolved;
    const Node* expect = plan.node.find("expect");
    if (expect == nullptr || expect->members().empty()) return;
    expect_ = *expect;
    document_ = make_writer(reports::Format::json, {}, text_);
  }

  void tell(const PointResult& point) {
    begin();
    write([&] { writer_->point(point); });
    if (document_) document_->point(point);
    progress_.advance();
  }

  // Sentences about limits that do not hold.
  std::vector<std::string> end() {
    progress_.clear();
    begin();
    write([&] {
      writer_->end();
      out_.flush();
    });
    if (!document_) return {};
    document_->end();
    return broken_expectations(expect_, text_.str());
  }

 private:
  template <class Piece>
  void write(Piece piece) {
    try {
      piece();
    } catch (const sim::IoError&) {
      throw OutputLost(buffer_.error());
    }
    if (!out_ || !buffer_.end_record()) throw OutputLost(buffer_.error());
  }

  void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    write([&] { writer_->begin(head_); });
    if (document_) document_->begin(head_);
  }

  RecordBuffer buffer_;
  std::ostream out_{&buffer_};
  std::unique_ptr<reports::Writer> writer_;
  Progress progress_;
  sim::RunResult head_;
  Node expect_;
  std::ostringstream text_;
  std::unique_ptr<reports::Writer> document_;  // what expect_ is held against
  bool has_begun_ = false;
};

using Described = std::vector<std::vector<std::pair<std::string, Node>>>;

std::string dry_run_json(std::int64_t points, const Described& rows) {
  fmt::memory_buffer buffer;
  reports::JsonText json(buffer);
  json.begin_object();
  json.field("points", points);
  json.key("first");
  json.begin_array();
  for (const auto& row : rows) {
    json.begin_object();
    for (const auto& [path, value] : row) {
      json.key(path);
      json.node(value);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return fmt::to_string(buffer) + "\n";
}

std::string dry_run_text(std::int64_t points, const Described& rows) {
  std::string text = fmt::format("{} {}\n", sim::with_commas(points), points == 1 ? "point" : "points");
  for (const auto& row : rows) {
    std::string line;
    for (const auto& [path, value] : row) line += fmt::format("  {}={}", path, value.text());
    if (!line.empty()) text += line + "\n";
  }
  if (static_cast<std::int64_t>(rows.size()) < points) text += "  ...\n";
  return text;
}

int tell_dry_run(const RunArguments& arguments, const Plan& plan) {
  const PointSpace points(plan);
  Described rows;
  for (std::int64_t i = 0; i < std::min(points.size(), rows_of_dry_run); ++i) rows.push_back(points.described(i));
  const bool is_json = arguments.format == reports::Format::json || arguments.format == reports::Format::jsonl;
  std::cout << (is_json ? dry_run_json(points.size(), rows) : dry_run_text(points.size(), rows));
  return exit_done;
}

int exit_code(const RunSummary& summary, bool is_broken, bool is_interrupted) {
  if (is_interrupted) return exit_interrupted;
  if (is_broken) return exit_expectation;
  return summary.infeasible + summary.failed > 0 ? exit_points : exit_done;
}

reports::TimelineLimits window_of(const RunArguments& arguments, const Plan& plan) {
  if (arguments.timeline.empty() && !arguments.window.empty())
    throw UsageError("--timeline-window needs --timeline FILE");
  if (arguments.timeline == "-")
    throw UsageError("--timeline writes a file, and standard output has the results: name a file");
  if (!arguments.timeline.empty()) require_timeline(plan);
  try {
    return arguments.window.empty() ? reports::TimelineLimits{} : parse_window(arguments.window);
  } catch (const std::invalid_argument& mistake) {
    throw UsageError(fmt::format("--timeline-window: {}", mistake.what()));
  }
}

}  // namespace

int execute(const RunArguments& arguments) {
  const Catalog catalog = Catalog::find();
  const Plan plan = load_plan(arguments.scenario, catalog);
  if (arguments.dry_run) return tell_dry_run(arguments, plan);
  const reports::TimelineLimits window = window_of(arguments, plan);
  Telling telling(arguments, plan);
  // A single point that is simulated in full may take minutes, and has nothing to hand on before: an interrupt ends it.
  const std::atomic<bool> never = false;
  const sim::Node* exact = plan.resolved.find("exact");
  const bool ends_at_once = plan.sweep.size() == 1 && exact != nullptr && exact->text() == "on";
  const std::atomic<bool>& stop = ends_at_once ? never : stop_on_interrupt();
  const RunSummary summary = run_points(
      plan, catalog, options_of(arguments, plan),
      [&](const PointResult& point) {
        telling.tell(point);
        if (!arguments.timeline.empty() && point.time) write_timeline(arguments.timeline, point, window);
      },
      stop);
  const bool is_interrupted = stop && summary.ok + summary.infeasible + summary.failed < plan.sweep.size();
  const std::vector<std::string> broken = telling.end();
  if (is_interrupted) tell("kvtraffic: interrupted; the results are those of the points before\n");
  if (!is_interrupted) {
    for (const std::string& sentence : broken) tell(fmt::format("expect: {}\n", sentence));
  }
  return exit_code(summary, !broken.empty(), is_interrupted);
}

int execute(const CheckArguments& arguments) {
  const Plan plan = load_plan(arguments.scenario, Catalog::find());
  const std::int64_t points = plan.sweep.size();
  std::cout << fmt::format("ok: {} {}\n", sim::with_commas(points), points == 1 ? "point" : "points");
  return exit_done;
}

}  // namespace kvtraffic::scenarios
