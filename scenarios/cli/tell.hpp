// Words for the user, on standard error. A stream that takes none is no reason to end differently.
// Leaves out results: those go to standard output and must not be lost in silence.
#pragma once

#include <string_view>

namespace kvtraffic::scenarios {

// Control characters are replaced, line ends and tabs kept: part of the text may be somebody's file.
void tell(std::string_view text);
// For text of our own with escape sequences in it.
void tell_as_is(std::string_view text);

}  // namespace kvtraffic::scenarios
