// Telling a result: one writer per format behind one interface, fed point by point so that a sweep need not fit in
// memory.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/run/result.hpp"

namespace kvtraffic::reports {

enum class Format { table, json, jsonl, csv, md };

struct Style {
  bool colour = false;
  bool layers = false;      // tell the layers (json, jsonl: whenever present)
  bool operations = false;  // tell the operations
};

// Order of calls: begin once, point for every point in order, end once. Output is complete and flushed after end.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin(const sim::RunResult& head) = 0;  // version and scenario; points are not looked at
  virtual void point(const sim::PointResult& point) = 0;
  virtual void end() = 0;
};

// The only place where a format is chosen.
[[nodiscard]] std::unique_ptr<Writer> make_writer(Format format, Style style, std::ostream& out);

// One point as JSON text of the contract, without a newline at the end. Also what `expect:` looks paths up in.
[[nodiscard]] std::string point_json(const sim::PointResult& point);

}  // namespace kvtraffic::reports
