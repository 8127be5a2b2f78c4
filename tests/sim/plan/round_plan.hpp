// A kernel plan in round tiles for steps made by hand.
#pragma once

#include "sim/plan/kernel_plan.hpp"

namespace kvtraffic::sim::test {

inline KernelPlan round_plan() {
  KernelPlan plan;
  plan.name = "round";
  plan.gemm_rows = 64;
  plan.gemm_columns = 128;
  plan.gemm_depth = 512;
  plan.attention_heads = plan.attention_keys = 64;
  plan.prefill_rows = plan.scan_rows = 128;
  plan.prefill_queries = 1;
  plan.scan_keys = 256;
  plan.stream_bytes = 32768;
  return plan;
}

}  // namespace kvtraffic::sim::test
