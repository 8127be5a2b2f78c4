// One maker per format, for writer.cpp alone; everybody else asks make_writer.
// Leaves out the classes themselves: each lives in its own source file.
#pragma once

#include <memory>
#include <ostream>

#include "reports/writer.hpp"

namespace kvtraffic::reports {

[[nodiscard]] std::unique_ptr<Writer> make_json_writer(std::ostream& out);
[[nodiscard]] std::unique_ptr<Writer> make_json_lines_writer(std::ostream& out);
[[nodiscard]] std::unique_ptr<Writer> make_csv_writer(std::ostream& out);
[[nodiscard]] std::unique_ptr<Writer> make_console_writer(Style style, std::ostream& out);
[[nodiscard]] std::unique_ptr<Writer> make_markdown_writer(Style style, std::ostream& out);

}  // namespace kvtraffic::reports
