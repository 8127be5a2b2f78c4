// Looking up every source that an entry names.
// Leaves out entries made of several files: their reader gathers the sources first.
#include "sim/config/sources.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

namespace kvtraffic::sim {
namespace {

// The map at or above `path` that says `source: name`; the whole entry when none does.
std::string place_of_source(const Node& entry, std::string path, std::string_view name) {
  while (!path.empty()) {
    const Node* node = entry.find_path(path);
    const Node* source = node == nullptr ? nullptr : node->find("source");
    if (source != nullptr && source->text() == name) return path;
    const std::size_t end = path.find_last_of(".[");
    path.resize(end == std::string::npos ? 0 : end);
  }
  return path;
}

}  // namespace

void check_sources(const Node& entry, const Provenances& provenance, const Sources& sources, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [key, address] : sources) known.push_back(key);
  std::set<std::string> reported;
  for (const auto& [path, origin] : provenance) {
    if (origin.source.empty() || sources.contains(origin.source)) continue;
    const std::string above = place_of_source(entry, path, origin.source);
    const std::string place = above.empty() ? "source" : above + ".source";
    if (!reported.insert(place).second) continue;
    const Node* text = entry.find_path(place);
    diagnostics.error(text == nullptr ? entry.mark() : text->mark(), place,
                      fmt::format("'{}' is no key of `sources`", origin.source),
                      known.empty() ? "a `sources:` map that has it" : fmt::format("one of {}", fmt::join(known, ", ")),
                      nearest_name(origin.source, known));
  }
}

void check_sources(const Node& entry, const Table& table, Diagnostics& diagnostics) {
  Sources sources;
  if (const Node* own = entry.find("sources"); own != nullptr) {
    for (const Node::Member& member : own->members()) sources[member.key] = member.value.text();
  }
  check_sources(entry, provenance_of(entry, table), sources, diagnostics);
}

}  // namespace kvtraffic::sim
