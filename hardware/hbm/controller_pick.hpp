// The best candidate for a command bus so far, and the next time to look when there is none.
// Internal to the controller.
#pragma once

#include "hardware/hbm/controller.hpp"

namespace kvtraffic::hardware::hbm {

struct Controller::Pick {
  bool found = false;
  bool active = false;  // its row was opened for it
  bool idle = false;    // a row that nothing waits for
  Command command = Command::read;
  BankAddress at;
  Stamp gate;
  std::uint64_t order = 0;
  Tick next = never;  // the earliest edge on which a candidate that is not ready may be

  void take(BankAddress place, Stamp opens, std::uint64_t position) {
    found = true;
    at = place;
    gate = opens;
    order = position;
  }
};

}  // namespace kvtraffic::hardware::hbm
