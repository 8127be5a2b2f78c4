// Address maps against a slow and obvious decoder, and the properties that the rest relies on: bijection, blocks,
// row periods, even loads. Leaves out what is refused (map_layout_test.cpp) and speed.
#include "hardware/hbm/address_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace kvtraffic::hardware::hbm {

// The names that rapidcheck and GoogleTest look for.
void showValue(const Place& place, std::ostream& out) {  // NOLINT(readability-identifier-naming)
  out << "row " << place.row << " channel " << place.channel << " pseudo-channel " << int{place.pseudo_channel}
      << " bank " << int{place.bank} << " column " << place.column;
}
void PrintTo(const Place& place, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  showValue(place, *out);
}

namespace {

struct Case {
  std::string map;
  Geometry geometry;
};

AddressMap compile(const std::string& map, const Geometry& geometry) { return {find_map(map).value(), geometry}; }
AddressMap compile(const Case& point) { return compile(point.map, point.geometry); }

Geometry hbm2() {
  Geometry geometry;
  geometry.channels = 8;
  geometry.rows = 65536;
  return geometry;
}
Geometry hbm3(int stacks = 1, int stack_ids = 2) {
  Geometry geometry;
  geometry.stacks = stacks;
  geometry.stack_ids = stack_ids;
  return geometry;
}
Geometry with_rows(Geometry geometry, std::int64_t rows) {
  geometry.rows = rows;
  return geometry;
}
Geometry one_channel(Geometry geometry) {
  geometry.channels = 1;
  return geometry;
}

std::vector<Geometry> geometries() {
  std::vector<Geometry> all{
      hbm2(), hbm3(1, 1), hbm3(1, 4), one_channel(hbm2()), one_channel(hbm3(1, 1)), one_channel(hbm3(6))};
  for (const int stacks : {1, 2, 4, 5, 6, 8}) {
    all.push_back(hbm3(stacks));
    all.push_back(with_rows(hbm3(stacks), 24576));
  }
  return all;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& map : map_names()) {
    for (const Geometry& geometry : geometries()) all.push_back({map, geometry});
  }
  return all;
}

std::string describe(const Case& point) {
  const Geometry& g = point.geometry;
  return point.map + ", " + std::to_string(g.stacks) + " stacks of " + std::to_string(g.channels) + " channels, " +
         std::to_string(g.stack_ids) + " stack IDs, " + std::to_string(g.rows) + " rows";
}

bool is_hashed_by_row(const std::string& map) { return find_map(map).value().hash == Hash::multiplicative; }

// A transaction by the letters of the literature: c h p g b s r.
using Letters = std::map<char, std::uint64_t>;

std::uint64_t count_of(char letter, const Geometry& g) {
  const std::map<char, std::int64_t> counts{{'c', g.columns},     {'h', g.channels}, {'p', g.pseudo_channels},
                                            {'g', g.bank_groups}, {'b', g.banks},    {'s', g.stack_ids},
                                            {'r', g.rows}};
  return static_cast<std::uint64_t>(counts.at(letter));
}

// The maps as the reference states them, "c8 h" being 8 columns, then all channels; a later c is what is left of it.
const std::map<std::string, std::string>& fields_of_maps() {
  static const std::map<std::string, std::string> fields{
      {"stock", "h c p s g b r"},   {"mop", "h c4 p s g b c r"},  {"i32", "h p g c b s r"},
      {"i64", "c2 h p g c b s r"},  {"i256", "c8 h p g c b s r"}, {"i512", "c16 h p g c b s r"},
      {"i1K", "c32 h p g c b s r"}, {"map-A", "c h p g b s r"},   {"map-B", "h p g c b s r"},
      {"ds3", "c h p b g s r"},
  };
  return fields;
}

Letters slow_fields(const std::string& fields, const Geometry& geometry, std::uint64_t inside) {
  Letters at;
  std::uint64_t left = inside / static_cast<std::uint64_t>(geometry.transaction_bytes);
  Letters weight;
  std::istringstream words(fields);
  for (std::string word; words >> word;) {
    const char letter = word.front();
    const std::uint64_t done = std::max<std::uint64_t>(weight[letter], 1);
    const std::uint64_t count = word.size() > 1 ? std::stoull(word.substr(1)) : count_of(letter, geometry) / done;
    at[letter] += left % count * done;
    weight[letter] = done * count;
    left /= count;
  }
  return at;
}

int bits_of(std::uint64_t count) { return count == 1 ? 0 : 1 + bits_of(count / 2); }

// The hash of the i-maps, word for word.
void slow_row_hash(Letters& at, const Geometry& geometry) {
  const std::uint64_t r = at['r'];
  std::uint64_t u = (r << bits_of(count_of('s', geometry))) | at['s'];
  u = (u << 2) | at['b'];
  u = (u << 2) | at['g'];
  std::uint64_t z = u * 0x9E3779B97F4A7C15;
  z ^= z >> 29;
  z *= 0xBF58476D1CE4E5B9;
  z ^= z >> 32;
  at['h'] ^= z & (count_of('h', geometry) - 1);
  at['p'] ^= (z >> 8) & 1;
  std::uint64_t y = r * 0x9E3779B97F4A7C15;
  y ^= y >> 31;
  y *= 0x94D049BB133111EB;
  y ^= y >> 30;
  at['g'] ^= y & 3;
  at['b'] ^= (y >> 8) & 3;
  at['s'] ^= (y >> 16) & (count_of('s', geometry) - 1);
}

void slow_column_xor(Letters& at, const Geometry& geometry) {
  std::uint64_t column = at['c'];
  for (const char letter : {'p', 's', 'g', 'b'}) {
    at[letter] ^= column % count_of(letter, geometry);
    column /= count_of(letter, geometry);
  }
}

Place slow_decode(const std::string& map, const Geometry& geometry, std::uint64_t inside) {
  Letters at = slow_fields(fields_of_maps().at(map), geometry, inside);
  if (map.front() == 'i') slow_row_hash(at, geometry);
  if (map == "mop") slow_column_xor(at, geometry);
  Place place;
  place.row = static_cast<std::uint32_t>(at['r']);
  place.channel = static_cast<std::uint16_t>(at['h']);
  place.pseudo_channel = static_cast<std::uint8_t>(at['p']);
  place.bank =
      static_cast<std::uint8_t>((at['s'] * count_of('g', geometry) + at['g']) * count_of('b', geometry) + at['b']);
  place.column = static_cast<std::uint16_t>(at['c']);
  return place;
}

Place random_place(const Geometry& g) {
  const auto below = [](std::int64_t count) { return *rc::gen::inRange<std::int64_t>(0, count); };
  Place place;
  place.row = static_cast<std::uint32_t>(below(g.rows));
  place.channel = static_cast<std::uint16_t>(below(g.all_channels()));
  place.pseudo_channel = static_cast<std::uint8_t>(below(g.pseudo_channels));
  place.bank = static_cast<std::uint8_t>(below(g.banks_of_pseudo_channel()));
  place.column = static_cast<std::uint16_t>(below(g.columns));
  return place;
}

bool is_inside(const Place& place, const Geometry& g) {
  return place.row < g.rows && place.channel < g.all_channels() && place.pseudo_channel < g.pseudo_channels &&
         place.bank < g.banks_of_pseudo_channel() && place.column < g.columns;
}

TEST(MapCatalog, HoldsTheMapsOfTheReference) {
  std::vector<std::string> names = map_names();
  EXPECT_EQ(names.size(), fields_of_maps().size());
  for (const std::string& name : names) {
    EXPECT_EQ(fields_of_maps().count(name), 1U) << name;
    EXPECT_EQ(find_map(name).value().name, name);
    EXPECT_NE(find_map(name).value().summary, "");
  }
  EXPECT_FALSE(find_map("i128").has_value());
}

TEST(AddressMap, CapacityIsTheProductOfTheCounts) {
  for (const Geometry& g : geometries()) {
    const std::int64_t transactions = g.rows * g.columns * g.banks_of_channel() * g.all_channels();
    EXPECT_EQ(compile("i256", g).capacity(), static_cast<std::uint64_t>(transactions * g.transaction_bytes));
  }
}

TEST(AddressMap, OneStackDecodesAsTheReferenceStates) {
  std::mt19937_64 random(1);
  for (const Case& point : cases()) {
    if (point.geometry.stacks != 1) continue;
    const AddressMap map = compile(point);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t address = random() % map.capacity();
      ASSERT_EQ(map.decode(address), slow_decode(point.map, point.geometry, address)) << describe(point);
    }
  }
}

TEST(AddressMap, UnhashedMapsGiveGrainsToStacksInTurn) {
  std::mt19937_64 random(2);
  for (const Case& point : cases()) {
    if (is_hashed_by_row(point.map)) continue;
    const AddressMap map = compile(point);
    const auto stacks = static_cast<std::uint64_t>(point.geometry.stacks);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t address = random() % map.capacity();
      const std::uint64_t grain = address / map.grain();
      Place wanted = slow_decode(point.map, point.geometry, grain / stacks * map.grain() + address % map.grain());
      wanted.channel = static_cast<std::uint16_t>(wanted.channel + grain % stacks * count_of('h', point.geometry));
      ASSERT_EQ(map.decode(address), wanted) << describe(point);
    }
  }
}

// Division by the stack count must be exact where a reciprocal errs first: beside multiples, at the top of a large
// memory.
TEST(AddressMap, StacksOfAnyNumberAreDividedExactly) {
  for (const int stacks : {2, 3, 5, 6, 7, 11, 4095, 65535}) {
    Geometry geometry = one_channel(hbm3(stacks, 4));
    geometry.rows = (std::int64_t{1} << 48) / stacks / (std::int64_t{32} * 32 * 128);
    const AddressMap map = compile("map-B", geometry);
    const auto count = static_cast<std::uint64_t>(stacks);
    const std::uint64_t rounds = map.capacity() / map.grain() / count;
    for (std::uint64_t back = 1; back < 2000; ++back) {
      const std::uint64_t first = (rounds - back) * count;
      ASSERT_EQ(map.decode(first * map.grain()).channel, 0);
      ASSERT_EQ(map.decode((first + count - 1) * map.grain()).channel, stacks - 1);
      ASSERT_EQ(map.encode(map.decode(first * map.grain())), first * map.grain());
    }
  }
}

RC_GTEST_PROP(AddressMapProperty, EncodeUndoesDecode, ()) {
  for (const Case& point : cases()) {
    const AddressMap map = compile(point);
    const auto address = *rc::gen::inRange<std::uint64_t>(0, map.capacity());
    const Place place = map.decode(address);
    RC_ASSERT(is_inside(place, point.geometry));
    RC_ASSERT(map.encode(place) == address / 32 * 32);
  }
}

RC_GTEST_PROP(AddressMapProperty, DecodeUndoesEncode, ()) {
  for (const Case& point : cases()) {
    const AddressMap map = compile(point);
    const Place place = random_place(point.geometry);
    const std::uint64_t address = map.encode(place);
    RC_ASSERT(address < map.capacity());
    RC_ASSERT(map.decode(address) == place);
  }
}

Geometry tiny(int stacks) {
  Geometry geometry;
  geometry.stacks = stacks;
  geometry.channels = 2;
  geometry.stack_ids = geometry.bank_groups = geometry.banks = 2;
  geometry.rows = 3;
  return geometry;
}

using Key = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;
Key key_of(const Place& p) { return {p.row, p.channel, p.pseudo_channel, p.bank, p.column}; }

TEST(AddressMap, TheWholeOfATinyMemoryIsAPermutation) {
  for (const std::string& name : map_names()) {
    for (const int stacks : {1, 2, 3, 5, 8}) {
      const Geometry geometry = tiny(stacks);
      const AddressMap map = compile(name, geometry);
      std::vector<Key> seen;
      for (std::uint64_t address = 0; address < map.capacity(); address += 32) {
        const Place place = map.decode(address);
        ASSERT_TRUE(is_inside(place, geometry)) << name;
        ASSERT_EQ(map.encode(place), address) << name;
        seen.push_back(key_of(place));
      }
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << name << " with " << stacks;
    }
  }
}

TEST(AddressMap, IgnoresTheOffsetInsideATransaction) {
  const AddressMap map = compile("i256", hbm3(6));
  EXPECT_EQ(map.decode(4096 + 31), map.decode(4096));
  EXPECT_NE(map.decode(4096 + 32), map.decode(4096));
}

TEST(AddressMap, GrainIsWhatComesBeforeAnotherChannel) {
  std::mt19937_64 random(3);
  for (const Case& point : cases()) {
    if (point.geometry.all_channels() == 1) continue;
    const AddressMap map = compile(point);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t grain = random() % (map.capacity() / map.grain() / 2) * 2;
      const std::uint64_t begin = grain * map.grain();
      for (std::uint64_t offset = 0; offset < map.grain(); offset += 32) {
        ASSERT_EQ(map.decode(begin + offset).channel, map.decode(begin).channel) << describe(point);
      }
      // Even and odd grain: with several stacks a round may end between them, and begin at the stack it ended at.
      if (point.geometry.stacks % 2 == 0 || point.geometry.stacks == 1) {
        ASSERT_NE(map.decode(begin + map.grain()).channel, map.decode(begin).channel) << describe(point);
      }
    }
  }
}

// One grain for each channel, and the same rows, banks and columns in each.
void expect_block(const AddressMap& map, std::uint64_t begin, const Case& point) {
  std::vector<Place> first_grain;
  for (std::uint64_t offset = 0; offset < map.grain(); offset += 32) first_grain.push_back(map.decode(begin + offset));
  std::vector<int> grains(static_cast<std::size_t>(point.geometry.all_channels()));
  for (std::uint64_t grain = begin; grain < begin + map.block(); grain += map.grain()) {
    const std::uint16_t channel = map.decode(grain).channel;
    ++grains[channel];
    for (std::size_t i = 0; i < first_grain.size(); ++i) {
      Place wanted = first_grain[i];
      wanted.channel = channel;
      ASSERT_EQ(map.decode(grain + 32 * i), wanted) << describe(point);
    }
  }
  EXPECT_EQ(grains, std::vector<int>(grains.size(), 1)) << describe(point);
}

TEST(AddressMap, ABlockGivesEachChannelOneGrainOfEqualRowsBanksAndColumns) {
  std::mt19937_64 random(4);
  for (const Case& point : cases()) {
    const AddressMap map = compile(point);
    ASSERT_EQ(map.block(), map.grain() * static_cast<std::uint64_t>(point.geometry.all_channels())) << describe(point);
    ASSERT_EQ(map.capacity() % map.block(), 0U);
    for (int i = 0; i < 10; ++i) {
      expect_block(map, random() % (map.capacity() / map.block()) * map.block(), point);
    }
  }
}

TEST(AddressMap, BlockIsZeroWhereTheChannelsAreNotTogetherAboveColumns) {
  MapSpec spec = find_map("map-B").value();
  std::swap(spec.fields[0], spec.fields[1]);
  EXPECT_EQ(AddressMap(spec, hbm2()).block(), 0U);
  EXPECT_EQ(AddressMap(spec, hbm2()).grain(), 64U);  // a transaction of each pseudo-channel
  spec = find_map("map-B").value();
  spec.fields.front().bits = 1;
  spec.fields.insert(spec.fields.begin() + 2, {FieldKind::channel, -1});
  EXPECT_EQ(AddressMap(spec, hbm2()).block(), 0U);
}

TEST(AddressMap, ARowPeriodLaterTheRowIsTheNext) {
  std::mt19937_64 random(5);
  for (const Case& point : cases()) {
    const AddressMap map = compile(point);
    if (is_hashed_by_row(point.map)) {
      EXPECT_EQ(map.row_period(), 0U);
      continue;
    }
    ASSERT_EQ(map.row_period(), map.capacity() / static_cast<std::uint64_t>(point.geometry.rows));
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t address = random() % (map.capacity() - map.row_period());
      Place next = map.decode(address);
      ++next.row;
      ASSERT_EQ(map.decode(address + map.row_period()), next) << describe(point);
    }
  }
}

// The fullest of `boxes`, relative to an even share.
double imbalance(const std::vector<int>& boxes) {
  double sum = 0;
  for (const int box : boxes) sum += box;
  return *std::max_element(boxes.begin(), boxes.end()) / (sum / static_cast<double>(boxes.size()));
}

std::vector<int> stack_loads(const AddressMap& map, const Geometry& geometry, std::uint64_t stride) {
  std::vector<int> loads(static_cast<std::size_t>(geometry.stacks));
  const std::uint64_t accesses = std::min<std::uint64_t>(6000, map.capacity() / stride);
  for (std::uint64_t i = 0; i < accesses; ++i) {
    ++loads[static_cast<std::size_t>(map.decode(i * stride).channel / geometry.channels)];
  }
  return loads;
}

TEST(AddressMap, AStreamLoadsAllPseudoChannelsAlike) {
  for (const std::string& name : map_names()) {
    for (const int stacks : {1, 5, 6, 8}) {
      const Geometry geometry = hbm3(stacks);
      const AddressMap map = compile(name, geometry);
      std::vector<int> loads(static_cast<std::size_t>(geometry.all_channels() * 2));
      const std::uint64_t begin = map.capacity() / map.block() / 2 * map.block();
      for (std::uint64_t offset = 0; offset < 64 * map.block(); offset += 32) {
        const Place place = map.decode(begin + offset);
        ++loads[std::size_t{place.channel} * 2 + place.pseudo_channel];
      }
      EXPECT_EQ(imbalance(loads), 1) << name << " with " << stacks;
    }
  }
}

TEST(AddressMap, HashedMapsSpreadPowerOfTwoStridesOverStacks) {
  for (const std::string& name : map_names()) {
    if (!is_hashed_by_row(name)) continue;
    for (const int stacks : {2, 4, 5, 6, 8}) {
      const Geometry geometry = with_rows(hbm3(stacks), 24576);
      const AddressMap map = compile(name, geometry);
      for (std::uint64_t stride = 4096; stride <= (64 << 20); stride *= 2) {
        EXPECT_LT(imbalance(stack_loads(map, geometry, stride)), 1.25) << name << ", " << stacks << ", " << stride;
      }
    }
  }
}

TEST(AddressMap, AFieldMayBeCutInManyPieces) {
  MapSpec spec{"own", "", {}, Hash::multiplicative};
  for (int i = 0; i < 4; ++i) {
    for (const FieldKind kind : {FieldKind::row, FieldKind::channel, FieldKind::column})
      spec.fields.push_back({kind, 1});
  }
  for (const FieldKind kind : {FieldKind::bank, FieldKind::column, FieldKind::pseudo_channel, FieldKind::bank_group,
                               FieldKind::stack_id, FieldKind::row}) {
    spec.fields.push_back({kind, -1});
  }
  const AddressMap map(spec, hbm3(5));
  for (std::uint64_t address = 0; address < map.capacity(); address += 32000096) {
    ASSERT_EQ(map.encode(map.decode(address)), address);
  }
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
