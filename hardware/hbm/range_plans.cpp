// The generators behind the plans.
// Leaves out cutting ranges into transactions (range_source.hpp).
#include "hardware/hbm/range_plans.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace kvtraffic::hardware::hbm {
namespace {

class Packed final : public RangeGenerator {
 public:
  Packed(std::uint64_t size, std::uint64_t count, bool write) : left_(count), range_{0, size, write} {}

  [[nodiscard]] bool next(ByteRange& range) override {
    if (left_ == 0) return false;
    --left_;
    range = range_;
    range_.address += range_.size;
    return true;
  }

 private:
  std::uint64_t left_;
  ByteRange range_;
};

class Streams final : public RangeGenerator {
 public:
  explicit Streams(StreamsShape shape) : shape_(std::move(shape)) {}

  [[nodiscard]] bool next(ByteRange& range) override {
    if (shape_.turns == 0) return false;
    --shape_.turns;
    range = {shape_.bases[stream_] + offset_, shape_.turn, shape_.write};
    if (++stream_ == shape_.bases.size()) {
      stream_ = 0;
      offset_ += shape_.turn;
    }
    return true;
  }

 private:
  StreamsShape shape_;
  std::size_t stream_ = 0;
  std::uint64_t offset_ = 0;
};

class Random final : public RangeGenerator {
 public:
  Random(const RandomShape& shape, SplitMix64 random) : shape_(shape), random_(random) {}

  [[nodiscard]] bool next(ByteRange& range) override {
    if (shape_.accesses == 0) return false;
    --shape_.accesses;
    range = {random_.below(shape_.slots) * shape_.bytes, shape_.bytes, shape_.write};
    return true;
  }

 private:
  RandomShape shape_;
  SplitMix64 random_;
};

// Distinct numbers, by drawing again what was drawn before. A hash table, because entries to choose from may be many
// more than entries chosen; slots carry the round that filled them, so a new round need not clear the table.
class DistinctDraw {
 public:
  explicit DistinctDraw(std::uint64_t count) : count_(count), slots_(std::bit_ceil(2 * count)) {}

  void draw(SplitMix64& random, std::uint64_t below, std::vector<std::uint64_t>& into) {
    ++round_;
    into.clear();
    while (into.size() < count_) {
      const std::uint64_t value = random.below(below);
      if (insert(value)) into.push_back(value);
    }
  }

 private:
  struct Slot {
    std::uint64_t value = 0;
    std::uint64_t round = 0;
  };

  bool insert(std::uint64_t value) {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t at = (value * 0x9E3779B97F4A7C15 >> 32U) & mask;
    for (; slots_[at].round == round_; at = (at + 1) & mask) {
      if (slots_[at].value == value) return false;
    }
    slots_[at] = {value, round_};
    return true;
  }

  std::uint64_t count_;
  std::uint64_t round_ = 0;
  std::vector<Slot> slots_;
};

class Gather final : public RangeGenerator {
 public:
  Gather(const GatherShape& shape, SplitMix64 random) : shape_(shape), random_(random), distinct_(shape.chosen) {}

  [[nodiscard]] bool next(ByteRange& range) override {
    if (shape_.entries == 0) return false;
    if (at_ == picks_.size()) begin_round();
    --shape_.entries;
    range = {base_ + picks_[at_] * shape_.entry, shape_.entry, shape_.write};
    ++at_;
    return true;
  }

 private:
  void begin_round() {
    base_ = (round_ % shape_.regions) * shape_.entry * shape_.total;
    ++round_;
    distinct_.draw(random_, shape_.total, picks_);
    if (shape_.ascending) std::sort(picks_.begin(), picks_.end());
    at_ = 0;
  }

  GatherShape shape_;
  SplitMix64 random_;
  DistinctDraw distinct_;
  std::vector<std::uint64_t> picks_;
  std::size_t at_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t base_ = 0;
};

class Mix final : public RangeGenerator {
 public:
  Mix(const MixShape& shape, SplitMix64 random) : shape_(shape), random_(random) {}

  [[nodiscard]] bool next(ByteRange& range) override {
    if (shape_.lines == 0) return false;
    --shape_.lines;
    const bool write = random_.below(shape_.of) < shape_.writes;
    std::uint64_t& offset = write ? written_ : read_;
    range = {(write ? shape_.write_base : 0) + offset, shape_.line, write};
    offset += shape_.line;
    if (offset == shape_.walk) offset = 0;
    return true;
  }

 private:
  MixShape shape_;
  SplitMix64 random_;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
};

std::uint64_t granules_of(std::uint64_t bytes, std::uint64_t granule) {
  return bytes / granule + (bytes % granule != 0 ? 1 : 0);
}

// Transactions of `count` ranges of `bytes` bytes at multiples of `bytes`; nothing where that depends on the multiple.
std::optional<std::uint64_t> transactions_of(std::uint64_t count, std::uint64_t bytes, std::uint64_t granule) {
  if (bytes % granule == 0) return count * (bytes / granule);
  if (granule % bytes == 0) return count;
  return std::nullopt;
}

}  // namespace

RangePlan plan_linear(std::uint64_t size, bool write, std::uint64_t granule) {
  return {std::make_unique<Packed>(size, size == 0 ? 0 : 1, write), size, granules_of(size, granule),
          Regularity{1, granule}};
}

RangePlan plan_split_scan(std::uint64_t entry, std::uint64_t entries, std::uint64_t granule) {
  return {std::make_unique<Packed>(entry, entries, false), entry * entries, transactions_of(entries, entry, granule),
          std::nullopt};
}

RangePlan plan_streams(StreamsShape shape, std::uint64_t granule) {
  const std::uint64_t streams = shape.bases.size();
  const std::uint64_t reach = (shape.turns / streams + (shape.turns % streams != 0 ? 1 : 0)) * shape.turn;
  RangePlan plan;
  plan.extent = *std::max_element(shape.bases.begin(), shape.bases.end()) + reach;
  plan.transactions = transactions_of(shape.turns, shape.turn, granule);
  if (shape.turn % granule == 0) plan.regularity = Regularity{streams * (shape.turn / granule), shape.turn};
  plan.ranges = std::make_unique<Streams>(std::move(shape));
  return plan;
}

RangePlan plan_random(const RandomShape& shape, SplitMix64 random, std::uint64_t granule) {
  return {std::make_unique<Random>(shape, random), shape.slots * shape.bytes,
          transactions_of(shape.accesses, shape.bytes, granule), std::nullopt};
}

RangePlan plan_gather(const GatherShape& shape, SplitMix64 random, std::uint64_t granule) {
  const std::uint64_t rounds = shape.entries / shape.chosen + (shape.entries % shape.chosen != 0 ? 1 : 0);
  return {std::make_unique<Gather>(shape, random), std::min(rounds, shape.regions) * shape.entry * shape.total,
          transactions_of(shape.entries, shape.entry, granule), std::nullopt};
}

RangePlan plan_mix(const MixShape& shape, SplitMix64 random, std::uint64_t granule) {
  return {std::make_unique<Mix>(shape, random), shape.write_base + std::min(shape.walk, shape.lines * shape.line),
          transactions_of(shape.lines, shape.line, granule), std::nullopt};
}

}  // namespace kvtraffic::hardware::hbm
