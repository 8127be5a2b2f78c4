// Bytes of one kind, direction and level as a sum over operations: how many units, entries a unit, bytes an entry.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/explain/derivation.hpp"
#include "sim/units/format.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Access;
using sim::Level;
using sim::with_commas;

// What a traffic path asks for. layer: only vertices of that layer; operation: only that vertex.
struct Question {
  Level level = Level::logical;
  sim::DataKind kind = sim::DataKind::weight;
  sim::Direction direction = sim::Direction::read;
  std::optional<std::int64_t> layer, operation;
};

template <class Enum, std::size_t size>
std::optional<Enum> named(const std::array<std::string_view, size>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts{""};
  for (const char c : path) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// "layers[20]" as 20; nothing when the name is another or the number is none.
std::optional<std::int64_t> index_of(const std::string& part, std::string_view list) {
  if (part.rfind(fmt::format("{}[", list), 0) != 0 || part.back() != ']') return std::nullopt;
  const std::string digits = part.substr(list.size() + 1, part.size() - list.size() - 2);
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoll(digits);
}

std::optional<Question> parse(const std::string& path) {
  std::vector<std::string> parts = split(path);
  Question q;
  q.layer = index_of(parts[0], "layers");
  q.operation = index_of(parts[0], "operations");
  if (q.layer || q.operation) parts.erase(parts.begin());
  if (parts.size() != 4 || parts[0] != "traffic") return std::nullopt;
  const auto level = named<Level>(sim::level_names, parts[1]);
  const auto kind = named<sim::DataKind>(sim::kind_names, parts[2]);
  if (!level || !kind || (parts[3] != "read" && parts[3] != "write")) return std::nullopt;
  q.level = *level;
  q.kind = *kind;
  q.direction = parts[3] == "read" ? sim::Direction::read : sim::Direction::write;
  return q;
}

const sim::SpanTokens& span_of(const Evaluated& point, const sim::Operation& operation) {
  return point.tally.spans[operation.span];
}

bool is_prefill(const Evaluated& point) { return point.setup.scenario.phase == Phase::prefill; }

std::string experts_text(const Evaluated& point, const sim::Operation& operation, const Access& access) {
  const sim::StepGraph& graph = point.lowered.graph;
  const sim::ExpertSet& set = graph.expert_sets()[access.experts];
  const std::size_t at = operation.span * graph.expert_sets().size() + access.experts;
  const std::int64_t distinct = point.tally.distinct_experts[at];
  const bool is_drawn = !point.tally.drawn.empty();
  if (is_prefill(point)) return fmt::format("{} distinct experts a chunk{}", distinct, is_drawn ? " [drawn]" : "");
  std::string text = fmt::format(
      "{} distinct experts [{}]", distinct,
      is_drawn ? std::string("drawn")
               : fmt::format("{} x (1 - (1 - {}/{})^{})", set.routed, set.active, set.routed, point.tally.tokens));
  if (set.hosted == 0) return text;
  const std::string_view where = access.place == sim::Place::host ? "in host memory" : "on devices";
  const std::int64_t there = point.tally.distinct_in(access.place, graph, operation.span, access.experts);
  return fmt::format("{} {} of {}", there, where, text);
}

std::string units_text(const Evaluated& point, const sim::Operation& operation, const Access& access) {
  const std::int64_t tokens = span_of(point, operation).tokens;
  switch (access.per) {
    case sim::Per::token:
      return fmt::format("{} tokens", with_commas(tokens));
    case sim::Per::rank:
      return "1";
    case sim::Per::expert:
      return experts_text(point, operation, access);
    case sim::Per::routed:
      return fmt::format("{} tokens x {} experts", with_commas(tokens),
                         point.lowered.graph.expert_sets()[access.experts].active);
    case sim::Per::sequence:
      return fmt::format("{} sequences, at a chunk's end", with_commas(point.tally.point.batch));
    case sim::Per::resumed:
      return fmt::format("{} sequences, at a chunk's start", with_commas(point.tally.point.batch));
  }
  return "";
}

// Prefill: what is added up over the positions, and what tiles of queries share.
std::string sum_text(const Evaluated& point, const sim::Operation& operation, const Access& access) {
  const bool each_sequence = access.per == sim::Per::sequence || access.per == sim::Per::resumed;
  if (each_sequence) return fmt::format(" x {}", access.count.formula());
  const sim::Positions& at = span_of(point, operation).at;
  const std::string range = fmt::format("N = {} to {}", with_commas(at.first), with_commas(at.last));
  if (access.queries == 0) return fmt::format(" x mean of {} over {}", access.count.formula(), range);
  const std::string tile = access.queries == 1 ? "1 token" : fmt::format("{} tokens", access.queries);
  return fmt::format(" x {} over {}: each distinct entry once, requested by tiles of {}", access.count.formula(), range,
                     tile);
}

std::string entries_text(const Evaluated& point, const sim::Operation& operation, const Access& access) {
  if (access.count.kind == sim::Count::Kind::one) return "";
  if (is_prefill(point)) return sum_text(point, operation, access);
  const sim::Point& at = point.tally.point;
  if (at.divisor > 1) return fmt::format(" x mean of {}", access.count.formula());
  return fmt::format(" x {} [{}]", with_commas(access.count.at(at.context)), access.count.formula());
}

// How the bytes of a level follow from the logical ones, in words behind the term.
std::string level_text(const sim::AccessBytes& bytes, Level level) {
  if (level == Level::logical) return "";
  std::string text;
  const auto add = [&text](std::int64_t value, std::string_view why) {
    if (value != 0) text += fmt::format(" + {} {}", with_commas(value), why);
  };
  add(bytes.rounding, "sector rounding");
  add(bytes.apart, "scales apart");
  add(bytes.rereads, "read again by other query tiles");
  add(bytes.tensor_copies, "copies on tensor ranks");
  add(bytes.data_copies, "copies on data ranks");
  return text;
}

std::int64_t dram_of(const sim::AccessBytes& bytes, std::int64_t device) {
  if (device == bytes.device) return bytes.sector;
  return bytes.device == 0 ? 0 : sim::scale(bytes.sector, device, bytes.device);
}

std::int64_t value_at(const Evaluated& point, const Access& access, const sim::AccessBytes& bytes,
                      std::uint32_t vertex_access, Level level) {
  const auto in = [&](sim::Place place, std::int64_t there) { return access.place == place ? there : 0; };
  switch (level) {
    case Level::logical:
      return bytes.logical;
    case Level::sector:
      return bytes.sector;
    case Level::dram:
      return in(sim::Place::device, dram_of(bytes, point.outcome.dram[vertex_access]));
    case Level::host:
      return in(sim::Place::host, bytes.sector);
    case Level::link:
      return in(sim::Place::remote, bytes.sector);
    case Level::ssd:
      return 0;
  }
  return 0;
}

// Equal terms are one line, whichever layers and operations they come from; lines stand in order of execution.
struct Line {
  std::string text;  // without how often it occurs
  std::int64_t uses = 0;
  std::int64_t bytes = 0;
  const Access* access = nullptr;
};
using Lines = std::vector<Line>;

std::string term_text(const Evaluated& point, const Question& q, const sim::Operation& operation, const Access& access,
                      const sim::AccessBytes& numbers, std::int64_t bytes) {
  const sim::StepGraph& graph = point.lowered.graph;
  const sim::Layout& layout = graph.layouts()[access.layout];
  std::string text = fmt::format("{} ({}): {}{} x {} B{}", operation.name, graph.roles()[access.role],
                                 units_text(point, operation, access), entries_text(point, operation, access),
                                 with_commas(layout.entry_bytes()), level_text(numbers, q.level));
  const bool has_l2 = !point.outcome.evicted.empty();
  const std::string_view saving =
      has_l2 && q.direction == sim::Direction::write ? sim::overwriting_reason : point.saving_reason;
  if (q.level == Level::dram && bytes != numbers.sector) text += fmt::format(", less what is {}", saving);
  return text;
}

void add_vertex(const Evaluated& point, const Question& q, const sim::Vertex& v, Lines& lines) {
  const sim::StepGraph& graph = point.lowered.graph;
  const sim::Operation& operation = graph.operation_of(v);
  for (std::uint32_t i = 0; i < operation.accesses.size(); ++i) {
    const Access& access = operation.accesses[i];
    if (access.kind != q.kind || access.direction != q.direction) continue;
    const sim::AccessBytes& numbers = point.tally.accesses[graph.first_access_of(v.operation) + i];
    const std::int64_t bytes = value_at(point, access, numbers, v.first_access + i, q.level);
    if (bytes == 0) continue;
    const std::string text = term_text(point, q, operation, access, numbers, bytes);
    auto line = std::find_if(lines.begin(), lines.end(), [&text](const Line& l) { return l.text == text; });
    if (line == lines.end()) line = lines.insert(lines.end(), {text, 0, 0, &access});
    ++line->uses;
    line->bytes = sim::checked_add(line->bytes, bytes);
  }
}

bool asked_for(const Question& q, std::size_t position, const sim::Vertex& v) {
  if (q.layer) return v.layer == *q.layer;
  return !q.operation || static_cast<std::int64_t>(position) == *q.operation;
}

void add_count_input(const Evaluated& point, const sim::Count& count, Derivation& d) {
  const models::Model& model = point.setup.model;
  const auto add = [&](const std::string& field, std::int64_t value) {
    std::string source = source_text(model.provenance, model.sources, "attention." + field);
    d.add_input({fmt::format("attention.{} of {}", field, model.name), with_commas(value), std::move(source)});
  };
  for (const models::Layer& layer : model.layers) {
    const models::Attention& a = layer.attention;
    if (count.kind == sim::Count::Kind::window && count.limit == a.window) return add("window", a.window);
    if (count.kind == sim::Count::Kind::capped && count.limit == a.top_k) return add("top_k", a.top_k);
    if (count.kind == sim::Count::Kind::capped && count.limit == a.candidates) return add("candidates", a.candidates);
  }
}

void add_lines(const Evaluated& point, const Lines& lines, Derivation& d) {
  for (const Line& line : lines) {
    d.terms.push_back({fmt::format("{} x {}", line.uses, line.text), fmt::format("{} B", with_commas(line.bytes))});
    d.add_input(layout_input(point.setup, point.lowered.graph.layouts()[line.access->layout]));
    add_count_input(point, line.access->count, d);
  }
}

std::int64_t add_messages(const Evaluated& point, const Question& q, Derivation& d) {
  const sim::StepGraph& graph = point.lowered.graph;
  std::map<std::uint32_t, std::int64_t> uses;
  for (std::size_t i = 0; i < graph.order().size(); ++i) {
    const sim::Vertex& v = graph.vertices()[graph.order()[i]];
    if (asked_for(q, i, v) && point.tally.operations[v.operation].sent_total > 0) ++uses[v.operation];
  }
  std::int64_t total = 0;
  for (const auto& [operation, count] : uses) {
    const std::int64_t bytes = count * point.tally.operations[operation].sent_total;
    total += bytes;
    d.terms.push_back(
        {fmt::format("{} x {}: {} B sent by all devices, {} B a token", count, graph.operations()[operation].name,
                     with_commas(point.tally.operations[operation].sent_total),
                     with_commas(graph.operations()[operation].collective.bytes_per_token)),
         fmt::format("{} B", with_commas(bytes))});
  }
  return total;
}

constexpr std::string_view formula_of(Level level) {
  switch (level) {
    case Level::logical:
      return "sum over operations of units x entries a unit x bytes an entry";
    case Level::sector:
      return "logical bytes in whole 32 B sectors as the kernels request them, on every rank that holds a copy";
    case Level::dram:
      return "sector bytes less what does not cross the DRAM pins";
    case Level::link:
      return "all-reduce: 2 (ranks - 1) / ranks x bytes a device; dispatch and combine: tokens x experts x (1 - 1 / "
             "groups) x bytes a token";
    case Level::host:
      return "sector bytes of what lies in host memory";
    case Level::ssd:
      return "nothing is read from storage in a step";
  }
  return "";
}

}  // namespace

std::optional<Derivation> explain_traffic(const Evaluated& point, const std::string& path) {
  const auto q = parse(path);
  if (!q) return std::nullopt;
  const sim::StepGraph& graph = point.lowered.graph;
  if (q->layer && *q->layer >= static_cast<std::int64_t>(graph.layers().size())) return std::nullopt;
  if (q->operation && *q->operation >= static_cast<std::int64_t>(graph.order().size())) return std::nullopt;
  Derivation d;
  d.path = path;
  d.formula = formula_of(q->level);
  Lines lines;
  for (std::size_t i = 0; i < graph.order().size(); ++i) {
    const sim::Vertex& v = graph.vertices()[graph.order()[i]];
    if (asked_for(*q, i, v)) add_vertex(point, *q, v, lines);
  }
  std::int64_t total = 0;
  for (const Line& line : lines) total = sim::checked_add(total, line.bytes);
  if (q->level == Level::link && q->kind == sim::DataKind::activation) total = add_messages(point, *q, d);
  add_lines(point, lines, d);
  d.value = fmt::format("{} B", with_commas(total));
  add_scenario_inputs(point, d);
  return d;
}

}  // namespace kvtraffic::scenarios
