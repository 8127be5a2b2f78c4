// A writer for people: waits until it knows whether there is one point or a sweep, then renders one page.
// Leaves out how a page looks: `render` says that.
#pragma once

#include <functional>
#include <optional>
#include <ostream>

#include "reports/output.hpp"
#include "reports/page.hpp"
#include "reports/sweep_page.hpp"
#include "reports/writer.hpp"

namespace kvtraffic::reports {

class PageWriter : public Writer {
 public:
  using Render = std::function<std::string(const Page&)>;
  PageWriter(Style style, std::ostream& out, Render render) : style_(style), output_(out), render_(std::move(render)) {}

  void begin(const sim::RunResult& head) override;
  void point(const sim::PointResult& point) override;
  void end() override;

 private:
  [[nodiscard]] Page page() const;

  Style style_;
  Output output_;
  Render render_;
  sim::Node scenario_;
  std::optional<sim::PointResult> only_;  // the first point, until a second one comes
  SweepSummary summary_;
};

}  // namespace kvtraffic::reports
