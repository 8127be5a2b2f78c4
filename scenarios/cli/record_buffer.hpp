// Standard output for results that come record by record: where it is a file and takes no more, the file ends with a
// whole record. Leaves out what a record is: whoever writes says where one ends.
#pragma once

#include <cstddef>
#include <streambuf>
#include <string>
#include <vector>

namespace kvtraffic::scenarios {

class RecordBuffer : public std::streambuf {
 public:
  // What was written since the last call is one record; it may be handed on. False when it is not taken.
  [[nodiscard]] bool end_record();
  // The system's reason for the first failure; 0 before.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;  // hands on everything

 private:
  [[nodiscard]] bool hand_on();
  void cut_back(std::size_t written) const;

  std::string pending_;              // begins with a record
  std::vector<std::size_t> starts_;  // of the records after the first, in pending_
  int error_ = 0;
};

}  // namespace kvtraffic::scenarios
