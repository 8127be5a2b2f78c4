// What the address maps refuse, and that they say what would fit.
// Leaves out decoding (address_map_test.cpp).
#include "hardware/hbm/map_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace kvtraffic::hardware::hbm {
namespace {

using testing::HasSubstr;

Geometry part(int stacks, std::int64_t rows) {
  Geometry geometry;
  geometry.stacks = stacks;
  geometry.rows = rows;
  return geometry;
}

std::string refusal(const MapSpec& spec, const Geometry& geometry) {
  try {
    const MapLayout layout = lay_out(spec, geometry);
    return layout.capacity > 0 ? "accepted" : "empty";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}
std::string refusal(const std::string& map, const Geometry& geometry) {
  return refusal(find_map(map).value(), geometry);
}
std::string refusal(int Geometry::*count, int value) {
  Geometry geometry;
  geometry.*count = value;
  return refusal("i32", geometry);
}

TEST(MapLayoutRefuses, CountsThatAreNoPowersOfTwo) {
  EXPECT_EQ(refusal(&Geometry::channels, 12),
            "12 channels do not fit an address map, which needs a power of two, such as 8 or 16");
  EXPECT_THAT(refusal(&Geometry::bank_groups, 3), HasSubstr("3 bank groups"));
  EXPECT_THAT(refusal(&Geometry::banks, 5), HasSubstr("5 banks"));
  EXPECT_THAT(refusal(&Geometry::stack_ids, 3), HasSubstr("3 stack IDs"));
  EXPECT_THAT(refusal(&Geometry::columns, 48), HasSubstr("48 columns"));
  EXPECT_THAT(refusal(&Geometry::transaction_bytes, 48), HasSubstr("48 transaction bytes"));
}

TEST(MapLayoutRefuses, CountsOutOfRange) {
  EXPECT_EQ(refusal(&Geometry::pseudo_channels, 4), "4 pseudo-channels do not fit an address map, which takes 1 to 2");
  EXPECT_EQ(
      refusal(&Geometry::banks, 32),
      "128 banks of a pseudo-channel (stack IDs x bank groups x banks) do not fit an address map, which takes 1 to "
      "64");
  EXPECT_EQ(refusal(&Geometry::stacks, 4096),
            "65536 channels in all stacks do not fit an address map, which takes 1 to 65535");
  EXPECT_EQ(refusal(&Geometry::stacks, 4095), "accepted");
  EXPECT_THAT(refusal(&Geometry::stacks, 0), HasSubstr("0 stacks"));
  EXPECT_THAT(refusal(&Geometry::channels, -8), HasSubstr("-8 channels"));
  EXPECT_THAT(refusal("i32", part(1, 0)), HasSubstr("0 rows"));
  EXPECT_THAT(refusal("i32", part(1000, std::int64_t{1} << 30)), HasSubstr("256 TiB"));
}

TEST(MapLayoutRefuses, AMapThatTakesMoreBitsThanThereAre) {
  Geometry geometry = Geometry();
  geometry.columns = 16;
  EXPECT_EQ(
      refusal("i1K", geometry),
      "map 'i1K' does not fit: it takes 5 column bits, but 16 columns have 4; a part with at least 32 would fit, or "
      "a map that takes no more than 4");
  EXPECT_EQ(refusal("i512", geometry), "accepted");
}

TEST(MapLayoutRefuses, AMapThatLeavesBitsOut) {
  MapSpec spec = find_map("map-A").value();
  spec.name = "own";
  spec.fields.front().bits = 2;
  EXPECT_EQ(
      refusal(spec, Geometry()),
      "map 'own' does not fit: it takes 2 of the 5 column bits of 32 columns; another column field of 3 bits would "
      "fit, or of all that are left (-1)");
  spec.fields.front().bits = -2;
  EXPECT_THAT(refusal(spec, Geometry()), HasSubstr("a column field of -2 bits"));
}

TEST(MapLayoutRefuses, OddRowsBelowOtherFields) {
  MapSpec spec = find_map("map-A").value();
  std::swap(spec.fields.back(), spec.fields.front());
  EXPECT_EQ(refusal(spec, Geometry()), "accepted");
  EXPECT_THAT(refusal(spec, part(1, 24576)), HasSubstr("the row must be one field above all others"));
}

TEST(MapLayout, StacksFieldsAboveTheTransactionOffset) {
  Geometry geometry;  // 32-byte transactions, 32 columns, 16 channels
  const MapLayout layout = lay_out(find_map("i256").value(), geometry);
  EXPECT_EQ(layout.grain_bits, 5 + 3);
  EXPECT_EQ(layout.slices[1].from, 5 + 3);              // channel
  EXPECT_EQ(layout.slices[4].from, 5 + 3 + 4 + 1 + 2);  // the other columns, above channel, pseudo-channel, bank group
  EXPECT_EQ(layout.slices[4].to, 3);
  EXPECT_EQ(layout.row_from, 5 + 5 + 4 + 1 + 2 + 2);
}

}  // namespace
}  // namespace kvtraffic::hardware::hbm
