// Marking and reading bits. Of more than half the entries, those left out are drawn: no draw is repeated often.
// Leaves out a shape for few of very many entries: the bits of a million are 128 KB, which are quick to walk.
#include "hardware/machine/subset.hpp"

#include <bit>

namespace kvtraffic::hardware {
namespace {

constexpr std::uint64_t one = 1;
constexpr std::uint64_t word_bits = 64;

std::size_t words_for(std::uint64_t bits) { return (bits + word_bits - 1) / word_bits; }

// The position of the lowest bit of `word`, which is taken off.
std::uint64_t take_lowest(std::uint64_t& word) {
  const auto bit = static_cast<std::uint64_t>(std::countr_zero(word));
  word &= word - 1;
  return bit;
}

}  // namespace

void Subset::draw(std::int64_t entries, std::int64_t count, Dice& dice, std::vector<std::int64_t>& into) {
  const std::size_t words = words_for(static_cast<std::uint64_t>(entries));
  if (marks_.size() < words) marks_.resize(words);
  if (written_.size() < words_for(words)) written_.resize(words_for(words));
  const bool is_most = count > entries / 2;
  const std::size_t at = into.size();
  into.resize(at + static_cast<std::size_t>(count));
  mark(static_cast<std::uint64_t>(entries), is_most ? entries - count : count, dice);
  return is_most ? take_unmarked(entries, into, at) : take_marked(into, at);
}

void Subset::mark(std::uint64_t entries, std::int64_t count, Dice& dice) {
  while (count > 0) {
    const std::uint64_t entry = dice.below(entries), word = entry / word_bits;
    const std::uint64_t bit = one << entry % word_bits;
    count -= (marks_[word] & bit) == 0 ? 1 : 0;  // drawn before: again
    marks_[word] |= bit;
    written_[word / word_bits] |= one << word % word_bits;
  }
}

void Subset::take_marked(std::vector<std::int64_t>& into, std::size_t at) {
  for (std::size_t group = 0; at < into.size(); ++group) {
    std::uint64_t words = written_[group];
    written_[group] = 0;
    while (words != 0) {
      const std::uint64_t word = group * word_bits + take_lowest(words);
      std::uint64_t bits = marks_[word];
      marks_[word] = 0;
      while (bits != 0) into[at++] = static_cast<std::int64_t>(word * word_bits + take_lowest(bits));
    }
  }
}

void Subset::take_unmarked(std::int64_t entries, std::vector<std::int64_t>& into, std::size_t at) {
  const auto end = static_cast<std::uint64_t>(entries);
  for (std::uint64_t word = 0; word * word_bits < end; ++word) {
    const std::uint64_t here = end - word * word_bits;
    const std::uint64_t all = here >= word_bits ? ~std::uint64_t{0} : (one << here) - 1;
    std::uint64_t bits = ~marks_[word] & all;
    marks_[word] = 0;
    written_[word / word_bits] = 0;
    while (bits != 0) into[at++] = static_cast<std::int64_t>(word * word_bits + take_lowest(bits));
  }
}

}  // namespace kvtraffic::hardware
