// Ctrl-C, SIGTERM and SIGHUP: outside a run they end the program at once; inside, the run finishes its point and what
// was written stays whole. Leaves out other signals.
#pragma once

#include <atomic>

namespace kvtraffic::scenarios {

// From here on an interrupt exits with 130.
void heed_interrupts();

// From here on the first interrupt sets the returned flag; a second one exits with 130.
[[nodiscard]] const std::atomic<bool>& stop_on_interrupt();

}  // namespace kvtraffic::scenarios
