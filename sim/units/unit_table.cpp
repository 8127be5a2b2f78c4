// The rows of the unit tables.
// Leaves out aliases that people confuse (lower-case k for 1024, b for bytes): those are errors with a hint.
#include "sim/units/unit_table.hpp"

namespace kvtraffic::sim {
namespace {

constexpr Unit kBytes[] = {
    {"B"},         {"kB", 1, 3},      {"KB", 1, 3},      {"MB", 1, 6},      {"GB", 1, 9},      {"TB", 1, 12},
    {"PB", 1, 15}, {"KiB", 1, 0, 10}, {"MiB", 1, 0, 20}, {"GiB", 1, 0, 30}, {"TiB", 1, 0, 40}, {"PiB", 1, 0, 50},
};
constexpr Unit kDurations[] = {
    {"s", 1, 15}, {"ms", 1, 12}, {"us", 1, 9}, {"ns", 1, 6}, {"ps", 1, 3}, {"fs"}, {"min", 60, 15}, {"h", 3600, 15},
};
constexpr Unit kBandwidths[] = {
    {"B/s"},
    {"kB/s", 1, 3},
    {"KB/s", 1, 3},
    {"MB/s", 1, 6},
    {"GB/s", 1, 9},
    {"TB/s", 1, 12},
    {"PB/s", 1, 15},
    {"KiB/s", 1, 0, 10},
    {"MiB/s", 1, 0, 20},
    {"GiB/s", 1, 0, 30},
    {"TiB/s", 1, 0, 40},
    {"PiB/s", 1, 0, 50},
    {"bit/s", 1, 0, -3},
    {"kbit/s", 1, 3, -3},
    {"Mbit/s", 1, 6, -3},
    {"Gbit/s", 1, 9, -3},
    {"Tbit/s", 1, 12, -3},
    {"b/s", 1, 0, -3},
    {"kb/s", 1, 3, -3},
    {"Mb/s", 1, 6, -3},
    {"Gb/s", 1, 9, -3},
    {"Tb/s", 1, 12, -3},
};
constexpr Unit kFrequencies[] = {{"Hz"}, {"kHz", 1, 3}, {"MHz", 1, 6}, {"GHz", 1, 9}};
constexpr Unit kFlopRates[] = {
    {"FLOPS"},         {"MFLOPS", 1, 6}, {"GFLOPS", 1, 9}, {"TFLOPS", 1, 12}, {"PFLOPS", 1, 15},
    {"EFLOPS", 1, 18}, {"GOPS", 1, 9},   {"TOPS", 1, 12},  {"POPS", 1, 15},
};
constexpr Unit kTokens[] = {{""}, {"K", 1, 0, 10}, {"M", 1, 0, 20}};

}  // namespace

std::span<const Unit> byte_units() { return kBytes; }
std::span<const Unit> duration_units() { return kDurations; }
std::span<const Unit> bandwidth_units() { return kBandwidths; }
std::span<const Unit> frequency_units() { return kFrequencies; }
std::span<const Unit> flop_rate_units() { return kFlopRates; }
std::span<const Unit> token_units() { return kTokens; }

}  // namespace kvtraffic::sim
