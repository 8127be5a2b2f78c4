// From a checked model file to a Model: layers repeated and changed, defaults laid under them, sources of shared caches
// found.
#include <fmt/format.h>

#include <algorithm>

#include "models/spec/model.hpp"
#include "sim/config/sources.hpp"
#include "sim/units/parse.hpp"

namespace kvtraffic::models {
namespace {

using sim::Diagnostics;
using sim::Node;
using sim::View;

constexpr std::size_t most_layers = 10000;

// Lists one layer node per layer, repeats written out.
void expand(const std::vector<View>& entries, std::vector<Node>& out, Diagnostics& diagnostics) {
  for (const View& entry : entries) {
    if (entry.has("layers") && (entry.has("attention") || entry.has("experts") || entry.has("dense_width"))) {
      diagnostics.error(entry.mark("layers"), "layers",
                        "a layer has either its own fields or 'layers' that are repeated together");
    }
    std::vector<Node> group;
    if (entry.has("layers")) {
      expand(entry.maps("layers"), group, diagnostics);
    } else {
      group.push_back(entry.raw());
    }
    for (std::int64_t i = 0; i < entry.integer("repeat"); ++i) {
      if (out.size() + group.size() > most_layers) {
        diagnostics.error(entry.mark("repeat"), "layers",
                          fmt::format("more than {} layers after repetition", most_layers));
        return;
      }
      out.insert(out.end(), group.begin(), group.end());
    }
  }
}

void apply_changes(const std::vector<View>& changes, std::vector<Node>& layers, Diagnostics& diagnostics) {
  for (const View& change : changes) {
    Node laid_on = change.raw();
    laid_on.remove("layers");
    laid_on.remove("source");
    laid_on.remove("certainty");
    for (const Node& item : change.node("layers").items()) {
      const std::int64_t id = sim::parse_integer(item.text()).value_or(-1);
      if (id < 0 || id >= static_cast<std::int64_t>(layers.size())) {
        diagnostics.error(item.mark(), "changes.layers", fmt::format("there is no layer {}", id),
                          fmt::format("0 to {}", layers.size() - 1));
        continue;
      }
      auto& layer = layers[static_cast<std::size_t>(id)];
      layer = merged(layer, laid_on);
    }
  }
}

// Reads the layers of one model; holds what each layer is laid on.
class LayerReader {
 public:
  LayerReader(const Node& root, Diagnostics& diagnostics) : root_(root), diagnostics_(diagnostics) {}

  Layer read(const Node& node, const std::string& path) {
    View own(node, layer_table());
    Layer layer;
    layer.attention = attention(node, own.mark("attention"), path + ".attention");
    layer.side = own.text("side") == "encoder" ? Side::encoder : Side::decoder;
    layer.dense_width = own.integer("dense_width");
    layer.gated = View(root_, model_table()).flag("gated");
    if (layer.dense_width == 0) layer.experts = experts(node, own.mark("experts"), path);
    if (own.has("engram") && own.map("engram").has("rows"))
      layer.engram = engram(node, own.mark("engram"), path + ".engram");
    return layer;
  }

 private:
  static const sim::Table& table_of(std::string_view field) {
    for (const sim::Field& f : model_table().fields) {
      if (f.name == field) return *f.table;
    }
    throw std::logic_error("model table has no such field");
  }
  static const sim::Table& layer_table() { return table_of("layers"); }

  Node laid(const Node& node, std::string_view field) const {
    const Node* base = root_.find(field);
    const Node* over = node.find(field);
    if (base == nullptr) return over == nullptr ? Node::map({}, node.mark()) : *over;
    return over == nullptr ? *base : merged(*base, *over);
  }

  Attention attention(const Node& node, const sim::Mark& mark, const std::string& path) {
    const Node whole = laid(node, "attention");
    const View view(whole, table_of("attention"));
    if (!view.has("kind")) {
      diagnostics_.error(mark, path, "missing key 'kind'", "mha, gqa, mla, dsa, window, csa, hca or csa2");
      return {};
    }
    Attention a = bind(view);
    for (const std::string_view field : needed(a)) {
      if (!view.has(field))
        diagnostics_.error(view.mark("kind"), path, fmt::format("kind '{}' needs '{}'", name_of(a.kind), field));
    }
    check_widths(a, view, path);
    return a;
  }

  static Attention bind(const View& view) {
    Attention a;
    a.kind = kind_named(view.text("kind"));
    if (a.kind == AttentionKind::csa2) a.mode = mode_named(view.text("mode"));
    if (a.kind == AttentionKind::mla && view.text("form") == "expanded") a.form = LatentForm::expanded;
    a.heads = view.integer("heads");
    a.kv_heads = a.kind == AttentionKind::gqa ? view.integer("kv_heads") : a.heads;
    a.head_dim = view.integer("head_dim");
    a.rope_dim = view.integer("rope_dim");
    a.nope_dim = view.integer("nope_dim");
    a.value_dim = view.integer("value_dim");
    a.query_rank = view.integer("query_rank");
    a.kv_rank = view.integer("kv_rank");
    a.output_groups = view.integer("output_groups");
    a.output_rank = view.integer("output_rank");
    a.window = view.integer("window");
    a.ratio = view.has("ratio") ? view.integer("ratio") : 1;
    a.overlap = view.flag("overlap");
    a.top_k = view.integer("top_k");
    a.index_heads = view.integer("index_heads");
    a.index_dim = view.integer("index_dim");
    a.candidates = view.integer("candidates");
    a.candidate_block = view.integer("candidate_block");
    return a;
  }

  static std::vector<std::string_view> needed(const Attention& a) {
    std::vector<std::string_view> fields{"heads"};
    const auto also = [&fields](std::initializer_list<std::string_view> more) { fields.insert(fields.end(), more); };
    if (a.is_latent()) {
      also({"rope_dim", "nope_dim", "value_dim", "kv_rank"});
    } else if (a.has_heads_cached()) {
      also({"head_dim"});
      if (a.kind == AttentionKind::gqa) also({"kv_heads"});
    } else {
      also({"rope_dim", "query_rank", "head_dim", "output_groups", "output_rank", "window"});
    }
    if (a.selects()) also({"query_rank"});
    if (a.kind == AttentionKind::csa || a.kind == AttentionKind::hca || a.kind == AttentionKind::csa2) also({"ratio"});
    if (a.kind == AttentionKind::csa2) also({"mode"});
    if (a.kind == AttentionKind::dsa || a.kind == AttentionKind::csa || a.kind == AttentionKind::csa2) {
      also({"top_k", "index_heads", "index_dim"});
    }
    if (a.mode == SelectionMode::reindex) also({"candidates"});
    return fields;
  }

  void check_widths(const Attention& a, const View& view, const std::string& path) {
    if (a.head_dim > 0 && a.rope_dim > a.head_dim) {
      diagnostics_.error(view.mark("rope_dim"), path + ".rope_dim",
                         fmt::format("the rotated part ({}) is wider than the head ({})", a.rope_dim, a.head_dim));
    }
    if (a.kv_heads > 0 && a.heads % a.kv_heads != 0) {
      diagnostics_.error(view.mark("kv_heads"), path + ".kv_heads",
                         fmt::format("{} key and value heads do not divide {} query heads", a.kv_heads, a.heads));
    }
    if (a.output_groups > 0 && a.heads % a.output_groups != 0) {
      diagnostics_.error(view.mark("output_groups"), path + ".output_groups",
                         fmt::format("{} groups do not divide {} heads", a.output_groups, a.heads));
    }
    if (a.candidates % a.candidate_block != 0) {
      diagnostics_.error(view.mark("candidate_block"), path + ".candidate_block",
                         fmt::format("blocks of {} do not divide {} candidates", a.candidate_block, a.candidates));
    }
  }

  Experts experts(const Node& node, const sim::Mark& mark, const std::string& path) {
    const Node whole = laid(node, "experts");
    const View view(whole, table_of("experts"));
    if (whole.members().empty()) {
      diagnostics_.error(mark, path, "a layer needs 'experts' or 'dense_width'");
      return {};
    }
    for (const std::string_view field : {"routed", "active", "width"}) {
      if (!view.has(field)) diagnostics_.error(mark, path + ".experts", fmt::format("missing key '{}'", field));
    }
    Experts e;
    e.routing = view.text("routing") == "hashed" ? Routing::hashed : Routing::scored;
    e.routed = view.integer("routed");
    e.active = view.integer("active");
    e.shared = view.integer("shared");
    e.width = view.integer("width");
    e.groups = view.integer("groups");
    e.groups_used = view.integer("groups_used");
    if (e.groups_used > e.groups || e.routed % e.groups != 0) {
      diagnostics_.error(
          view.mark("groups"), path + ".experts.groups",
          fmt::format("{} of {} groups do not divide {} routed experts", e.groups_used, e.groups, e.routed));
    }
    if (e.groups_used <= e.groups && e.routed % e.groups == 0 && e.active > e.groups_used * (e.routed / e.groups)) {
      diagnostics_.error(
          view.mark("active"), path + ".experts.active",
          fmt::format("{} active experts do not fit in {} groups of {}", e.active, e.groups_used, e.routed / e.groups));
    }
    if (e.active > e.routed) {
      diagnostics_.error(view.mark("active"), path + ".experts.active",
                         fmt::format("{} active of {} routed experts", e.active, e.routed));
    }
    return e;
  }

  EngramTables engram(const Node& node, const sim::Mark& mark, const std::string& path) {
    const Node whole = laid(node, "engram");
    const View view(whole, table_of("engram"));
    for (const std::string_view field : {"rows_per_token", "row_values", "mixed_width"}) {
      if (!view.has(field)) diagnostics_.error(mark, path, fmt::format("missing key '{}'", field));
    }
    return {view.integer("rows"), view.integer("rows_per_token"), view.integer("row_values"),
            view.integer("mixed_width")};
  }

  static AttentionKind kind_named(const std::string& name) {
    for (const auto kind : {AttentionKind::mha, AttentionKind::gqa, AttentionKind::mla, AttentionKind::dsa,
                            AttentionKind::csa, AttentionKind::hca, AttentionKind::csa2}) {
      if (name_of(kind) == name) return kind;
    }
    return AttentionKind::window;
  }
  static SelectionMode mode_named(const std::string& name) {
    for (const auto mode : {SelectionMode::full, SelectionMode::reindex, SelectionMode::reuse}) {
      if (name_of(mode) == name) return mode;
    }
    return SelectionMode::none;
  }

  const Node& root_;
  Diagnostics& diagnostics_;
};

struct Sources {
  std::int32_t full = -1;       // last layer that wrote caches
  std::int32_t selecting = -1;  // last layer that selected
};

// What a layer reads of another is as wide as it was written.
class Reader {
 public:
  Reader(const Layer& reader, std::string path, const sim::Mark& mark, Diagnostics& diagnostics)
      : reader_(reader.attention), path_(std::move(path)), mark_(mark), diagnostics_(diagnostics) {}

  void agree(std::string_view field, std::int64_t Attention::*width, const Layer& source, std::int32_t number,
             std::string_view what) {
    const std::int64_t mine = reader_.*width, its = source.attention.*width;
    if (mine == its) return;
    diagnostics_.error(mark_, path_,
                       fmt::format("{} {} differs from the {} {} of layer {}, whose {} it reads", field, mine, field,
                                   its, number, what));
  }

  void agree_on_cache(const Layer& source, std::int32_t number) {
    agree("ratio", &Attention::ratio, source, number, "cache");
    agree("head_dim", &Attention::head_dim, source, number, "cache");
    agree("rope_dim", &Attention::rope_dim, source, number, "cache");
  }

  void agree_on_keys(const Layer& source, std::int32_t number) {
    agree("index_dim", &Attention::index_dim, source, number, "index keys");
    agree("index_heads", &Attention::index_heads, source, number, "index keys");
    if (reader_.top_k <= reader_.candidates || reader_.candidates == 0) return;
    diagnostics_.error(
        mark_, path_,
        fmt::format("top_k {} is more than the {} candidates it scores", reader_.top_k, reader_.candidates));
  }

 private:
  const Attention& reader_;
  std::string path_;
  const sim::Mark& mark_;
  Diagnostics& diagnostics_;
};

// csa2: points reuse and reindex layers at the layers whose caches and selections they read.
void find_sources(std::vector<Layer>& layers, std::int32_t index, Sources& last, const sim::Mark& mark,
                  Diagnostics& diagnostics) {
  Layer& layer = layers[static_cast<std::size_t>(index)];
  layer.kv_source = layer.selection_source = index;
  const SelectionMode mode = layer.attention.mode;
  if (mode == SelectionMode::none) return;
  if (mode == SelectionMode::full) {
    last = {index, index};
    return;
  }
  const std::string path = fmt::format("layers[{}].attention", index);
  if (last.full < 0) {
    diagnostics.error(mark, path, fmt::format("mode '{}' has no 'full' layer before it", name_of(mode)));
    return;
  }
  Layer& full = layers[static_cast<std::size_t>(last.full)];
  Reader reader(layer, path, mark, diagnostics);
  reader.agree_on_cache(full, last.full);
  layer.kv_source = last.full;
  if (mode == SelectionMode::reindex) {
    reader.agree_on_keys(full, last.full);
    last.selecting = index;
    full.hands_on_pool = true;
  } else {
    layer.selection_source = last.selecting;
    reader.agree("top_k", &Attention::top_k, layers[static_cast<std::size_t>(last.selecting)], last.selecting,
                 "selection");
  }
}

void read_layers(const Node& entry, const View& root, std::int64_t draft, Model& model, Diagnostics& diagnostics) {
  std::vector<Node> nodes;
  expand(root.maps("layers"), nodes, diagnostics);
  apply_changes(root.maps("changes"), nodes, diagnostics);
  model.main_layers = static_cast<std::int64_t>(nodes.size());
  std::vector<Node> drafts;
  expand(root.maps("draft"), drafts, diagnostics);
  model.draft_layers = static_cast<std::int64_t>(drafts.size());
  if (draft > model.draft_layers) {
    diagnostics.error(root.mark("draft"), "draft",
                      fmt::format("{} draft layers asked for, '{}' has {}", draft, model.name, model.draft_layers));
    draft = model.draft_layers;
  }
  nodes.insert(nodes.end(), drafts.begin(), drafts.begin() + static_cast<std::ptrdiff_t>(draft));

  LayerReader reader(entry, diagnostics);
  Sources last;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool is_draft = static_cast<std::int64_t>(i) >= model.main_layers;
    model.layers.push_back(
        reader.read(nodes[i], is_draft ? fmt::format("draft[{}]", i - static_cast<std::size_t>(model.main_layers))
                                       : fmt::format("layers[{}]", i)));
    find_sources(model.layers, static_cast<std::int32_t>(i), last, nodes[i].mark(), diagnostics);
  }
  if (nodes.empty()) diagnostics.error(root.mark("layers"), "layers", "a model needs at least one layer");
}

void read_weights(const View& root, Model& model) {
  const View weights = root.map("weights");
  for (std::size_t i = 0; i < weight_class_count; ++i) {
    const View view = weights.map(name_of(static_cast<WeightClass>(i)));
    WeightFormat& format = model.weights[i];
    format.bits = view.integer("bits");
    format.scale_bits = view.integer("scale_bits");
    format.scale_group = view.integer("scale_group");
    format.compute = sim::precision_named(view.text("compute")).value_or(sim::Precision::bf16);
  }
}

void read_streams(const View& root, Model& model) {
  const View view = root.map("streams");
  const std::string form = view.text("form");
  model.streams.form = form == "standard"      ? StreamForm::standard
                       : form == "single-pass" ? StreamForm::single_pass
                                               : StreamForm::none;
  model.streams.count = view.integer("count");
}

}  // namespace

Model read_model(const sim::Node& entry, std::int64_t draft, sim::Diagnostics& diagnostics) {
  Diagnostics found;
  check(entry, model_table(), found);
  check_sources(entry, model_table(), found);
  const View root(entry, model_table());
  Model model;
  model.name = root.text("name");
  model.summary = root.text("summary");
  model.cache = root.text("cache");
  model.hidden = root.integer("hidden");
  model.vocabulary = root.integer("vocabulary");
  model.max_positions = root.integer("max_positions");
  if (!found.has_errors()) {  // what fields mean together is asked once each makes sense alone
    read_streams(root, model);
    model.tied_embedding = root.flag("tied_embedding");
    read_weights(root, model);
    read_layers(entry, root, draft, model, found);
    model.provenance = provenance_of(entry, model_table());
    for (const auto& member : root.node("sources").members()) model.sources[member.key] = member.value.text();
  }
  model.resolved = entry;
  diagnostics.append(found);
  return model;
}

}  // namespace kvtraffic::models
