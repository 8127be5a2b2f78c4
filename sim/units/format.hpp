// Printing quantities for people: decimal prefixes, three to four digits, the unit always named.
#pragma once

#include <cstdint>
#include <string>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

[[nodiscard]] std::string to_text(Bytes bytes);         // "890 B", "81.95 MB", "1.055 GB"
[[nodiscard]] std::string to_text(Bandwidth rate);      // "4.8 TB/s"
[[nodiscard]] std::string to_text(Frequency rate);      // "1.83 GHz"
[[nodiscard]] std::string to_text(FlopRate rate);       // "1979 TFLOPS"
[[nodiscard]] std::string time_text(double seconds);    // "7.84 ms", "1.3 us"
[[nodiscard]] std::string with_commas(std::int64_t n);  // "1,055,391,744"
[[nodiscard]] std::string exact_text(double value);     // shortest text that reads back as `value`: "3514.25", "890"

}  // namespace kvtraffic::sim
