// Every DRAM command of a run as a text file, one a line, for checkers and for looking at.
// Leaves out answers; results tell those.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "hardware/hbm/controller.hpp"
#include "hardware/hbm/part.hpp"

namespace kvtraffic::scenarios {

// Throws sim::IoError for a file that cannot be opened, and as soon as one takes no more. What does not apply to a
// command is "-". An older file of that name is kept until the first command. A channel's lines are in order of time;
// channels take turns of many commands. Without finish() the file keeps what has arrived, and nobody hears of a
// failure.
class CommandFile {
 public:
  CommandFile(const hardware::hbm::Part& part, const std::string& path);  // "-": standard output
  CommandFile(const CommandFile&) = delete;
  CommandFile& operator=(const CommandFile&) = delete;
  ~CommandFile();

  [[nodiscard]] hardware::hbm::Listener* of_channel(int channel);
  void finish();  // everything has arrived, or sim::IoError

 private:
  class Channel;
  void line(int channel, hardware::hbm::Tick now, hardware::hbm::Command command, hardware::hbm::BankAddress at,
            std::int64_t row, int column);
  void empty_older();
  void hand_on();
  [[noreturn]] void refuse(int error) const;

  hardware::hbm::Geometry geometry_;
  std::string path_;
  int descriptor_ = -1;
  bool has_lines_ = false;
  bool has_begun_ = false;  // writing
  fmt::memory_buffer buffer_;
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace kvtraffic::scenarios
