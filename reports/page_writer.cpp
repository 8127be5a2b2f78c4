// One point gets a full page, several a table.
// Leaves out rendering.
#include "reports/page_writer.hpp"

#include "reports/point_page.hpp"

namespace kvtraffic::reports {

void PageWriter::begin(const sim::RunResult& head) { scenario_ = head.scenario; }

void PageWriter::point(const sim::PointResult& point) {
  summary_.add(point);
  if (summary_.size() == 1) {
    only_ = point;
  } else {
    only_.reset();
  }
}

Page PageWriter::page() const {
  if (only_) return point_page(*only_, scenario_, style_);
  Page page = summary_.page();
  if (style_.layers || style_.operations) {
    page.add({"", {}, {}, {{"layers and operations of several points are told by the json and jsonl formats only"}}});
  }
  return page;
}

void PageWriter::end() {
  output_.add(render_(page()));
  output_.finish();
}

}  // namespace kvtraffic::reports
