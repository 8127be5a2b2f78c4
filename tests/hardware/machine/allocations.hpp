// How often the test program has asked for memory. Leaves out how much, and who gave it back.
#pragma once

#include <cstdint>

namespace kvtraffic::hardware::test {

[[nodiscard]] std::uint64_t allocations();

}  // namespace kvtraffic::hardware::test
