// Residual streams, Engram lookups, dense and mixture-of-experts feed-forward as operations.
#include <fmt/format.h>

#include "models/lower/layer_builder.hpp"

namespace kvtraffic::models {

using sim::OperationKind;

namespace {
constexpr std::int64_t expert_id_bytes = 4;  // int32
}

// Mixing n streams into a sub-block's input, and its output back into them, moves (4n+4)d values in the standard form
// and (2n+2)d in the single-pass form (DeepSeek-V4.1 report): there one kernel takes the last output in and hands the
// next input out.
std::uint32_t LayerBuilder::residual_in(std::string_view part) {
  const sim::Module module = part == "attention" ? sim::Module::attention : sim::Module::feed_forward;
  return enter(module, part, stream_in(part));
}

std::uint32_t LayerBuilder::stream_in(std::string_view part) {
  const Streams& streams = context_.model.streams;
  const std::string name = std::string(part) + ".norm";
  if (streams.form == StreamForm::none) {
    return add_elementwise(name, {{tail_, "residual stream"}}, "residual", hidden(), "normed", hidden());
  }
  const std::int64_t n = streams.count;
  return add(std::string(part) + ".streams_in", OperationKind::elementwise, {{tail_, "residual streams"}},
             [&](OperationMaker& op) {
               op.multiplies(weight("streams"));
               if (streams.form == StreamForm::single_pass) {
                 op.reads("residual", n * hidden()).reads("block output", hidden());
                 op.writes("residual", n * hidden()).writes("normed", hidden());
               } else {
                 op.reads("residual", 2 * n * hidden()).writes("normed", 2 * hidden());
               }
             });
}

void LayerBuilder::residual_out(std::string_view part, std::uint32_t from) {
  const Streams& streams = context_.model.streams;
  const std::int64_t n = streams.count;
  if (streams.form == StreamForm::single_pass) {  // the next streams_in takes the output in
    tail_ = from;
    return;
  }
  const std::int64_t read = streams.form == StreamForm::none ? 2 * hidden() : (n + 2) * hidden();
  tail_ = add(std::string(part) + ".residual", OperationKind::elementwise,
              {{from, "block output"}, {tail_, "residual stream"}}, [&](OperationMaker& op) {
                op.reads("residual", read - hidden()).reads("block output", hidden()).writes("residual", n * hidden());
              });
}

std::uint32_t LayerBuilder::engram() {
  const EngramTables& e = *here().engram;
  const WeightFormat& rows = context_.model.format(WeightClass::engram_rows);
  const std::int64_t row = rows.bytes(e.row_values);
  const sim::Place place = context_.placement.tables;
  demand_.tensors.push_back({"engram table", sim::checked_multiply(e.rows, e.row_values),
                             sim::checked_multiply(e.rows, row), 1, sim::StoredTensor::Split::tensor, place});
  const std::int64_t looked_up = e.rows_per_token * e.row_values;
  const std::uint32_t lookup = add("engram.lookup", OperationKind::lookup, {}, [&](OperationMaker& op) {
    sim::Access read;
    read.kind = sim::DataKind::engram;
    read.pattern = sim::Pattern::gather;
    read.place = place;
    read.ways = sim::divides_freely;  // a rank reads the rows that it holds; no message is charged for what it found
    read.count = {sim::Count::Kind::fixed, 1, e.rows_per_token};
    op.access(read, "engram table",
              sim::Layout::packed("engram row", row, fmt::format("{} values and their scales", e.row_values)));
    op.writes("engram rows", looked_up);
  });
  const std::uint32_t mixed =
      add("engram.mix", OperationKind::gemm, {{lookup, "looked-up rows"}}, [&](OperationMaker& op) {
        op.multiplies(weight("engram mix")).reads("engram rows", looked_up).writes("engram mix", e.mixed_width);
      });
  const std::int64_t streams = hidden() * context_.model.streams.count;
  return add("engram.gate", OperationKind::elementwise, {{mixed, "mixed rows"}, {tail_, "residual stream"}},
             [&](OperationMaker& op) {
               op.reads("engram mix", e.mixed_width).reads("residual", streams).writes("residual", streams);
             });
}

void LayerBuilder::dense() {
  const std::int64_t width = here().dense_width;
  const std::int64_t wide = (here().gated ? 2 : 1) * width;
  const std::string_view matrix = here().gated ? "dense gate and up" : "dense up";
  const std::uint32_t normed = residual_in("feed_forward");
  const std::uint32_t up =
      add("feed_forward.up", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight(matrix)).reads("normed", hidden()).writes("dense up", wide, sim::divides_freely);
      });
  const std::uint32_t active =
      add("feed_forward.activate", OperationKind::elementwise, {{up, "up projection"}}, [&](OperationMaker& op) {
        op.reads("dense up", wide, sim::divides_freely).writes("activated", width, sim::divides_freely);
      });
  std::uint32_t out = add("feed_forward.down", OperationKind::gemm, {{active, "activated"}}, [&](OperationMaker& op) {
    op.multiplies(weight("dense down")).reads("activated", width, sim::divides_freely).writes("block output", hidden());
  });
  module_ = sim::Module::none;
  if (context_.deployment.tensor > 1) out = all_reduce("feed_forward.all_reduce", out);
  residual_out("feed_forward", out);
}

std::optional<std::uint32_t> LayerBuilder::shared_experts(std::uint32_t normed) {
  const Experts& e = here().experts;
  if (e.shared == 0) return std::nullopt;
  const std::int64_t width = e.width * e.shared;
  const std::uint32_t up =
      add("shared.gate_up", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight("shared gate and up"))
            .reads("normed", hidden())
            .writes("shared gate and up", 2 * width, sim::divides_freely);
      });
  const std::uint32_t active =
      add("shared.activate", OperationKind::elementwise, {{up, "gate and up"}}, [&](OperationMaker& op) {
        op.reads("shared gate and up", 2 * width, sim::divides_freely)
            .writes("shared activated", width, sim::divides_freely);
      });
  return add("shared.down", OperationKind::gemm, {{active, "activated"}}, [&](OperationMaker& op) {
    op.multiplies(weight("shared down"))
        .reads("shared activated", width, sim::divides_freely)
        .writes("shared output", hidden());
  });
}

std::uint32_t LayerBuilder::routed_experts(std::uint32_t routed, std::uint32_t experts) {
  const std::int64_t width = here().experts.width;
  const std::uint32_t up =
      add("experts.gate_up", OperationKind::grouped_gemm, {{routed, "routed tokens"}}, [&](OperationMaker& op) {
        op.multiplies_routed(weight("expert gate and up"), experts);
        op.reads_routed("routed tokens", hidden(), experts).writes_routed("expert gate and up", 2 * width, experts);
      });
  const std::uint32_t active =
      add("experts.activate", OperationKind::elementwise, {{up, "gate and up"}}, [&](OperationMaker& op) {
        op.reads_routed("expert gate and up", 2 * width, experts).writes_routed("expert activated", width, experts);
      });
  return add("experts.down", OperationKind::grouped_gemm, {{active, "activated"}}, [&](OperationMaker& op) {
    op.multiplies_routed(weight("expert down"), experts);
    op.reads_routed("expert activated", width, experts).writes_routed("expert output", hidden(), experts);
  });
}

// Picks the experts of each token from the scores, or looks them up in a table by the token's id.
std::uint32_t LayerBuilder::choose_experts(std::uint32_t scores) {
  const Experts& e = here().experts;
  return add("router.choose", OperationKind::elementwise, {{scores, "router scores"}}, [&](OperationMaker& op) {
    op.reads("router scores", e.routed).writes("chosen experts", 2 * e.active);
    if (e.routing == Routing::scored) return;
    const std::int64_t row = e.active * expert_id_bytes;
    sim::Access read;
    read.kind = sim::DataKind::weight;
    read.pattern = sim::Pattern::gather;
    read.place = weights_place();
    op.access(read, "expert table",
              sim::Layout::packed(fmt::format("expert table row {} B", row), row, "expert ids of one token"));
  });
}

void LayerBuilder::mixture() {
  const Experts& e = here().experts;
  const std::uint32_t experts = context_.graph.add_experts({e.routed, e.active, hosted_experts()});
  const std::uint32_t normed = residual_in("experts");
  const std::uint32_t scores =
      add("router.scores", OperationKind::gemm, {{normed, "normed hidden state"}}, [&](OperationMaker& op) {
        op.multiplies(weight("router")).reads("normed", hidden()).writes("router scores", e.routed);
      });
  const std::uint32_t choice = choose_experts(scores);
  std::uint32_t routed = choice;
  const std::int64_t token_bytes = sim::ceil_divide(hidden() * context_.plan.activation_bits, 8);
  const bool spread = context_.deployment.data > 1;  // tokens live on other ranks than their experts
  if (spread) {
    routed = add("experts.dispatch", OperationKind::collective, {{choice, "chosen experts"}},
                 [&](OperationMaker& op) { op.sends(sim::Collective::Kind::dispatch, token_bytes, experts); });
  }
  std::uint32_t outputs = routed_experts(routed, experts);
  if (spread) {
    outputs = add("experts.combine", OperationKind::collective, {{outputs, "expert outputs"}},
                  [&](OperationMaker& op) { op.sends(sim::Collective::Kind::combine, token_bytes, experts); });
  }
  std::vector<After> after{{outputs, "expert outputs"}};
  if (const auto shared = shared_experts(normed)) after.push_back({*shared, "shared experts' output"});
  std::uint32_t sum = add("experts.sum", OperationKind::elementwise, after, [&](OperationMaker& op) {
    op.reads_routed("expert output", hidden(), experts);
    if (spread) op.at_home();
    if (e.shared > 0) op.reads("shared output", hidden());
    op.writes("block output", hidden());
  });
  module_ = sim::Module::none;
  if (context_.deployment.tensor > 1) sum = all_reduce("experts.all_reduce", sum);
  residual_out("experts", sum);
}

}  // namespace kvtraffic::models
