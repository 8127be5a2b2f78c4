// Where the catalogs lie and what they hold; references resolved to whole entries.
// Leaves out what an entry must look like: the room that reads it checks it.
#include "scenarios/spec/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "sim/config/io_error.hpp"
#include "sim/config/yaml.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {
namespace {

namespace fs = std::filesystem;
using sim::Diagnostics;
using sim::Node;

constexpr std::string_view changed_suffix = "-changed";

struct KindRow {
  CatalogKind kind;
  std::string_view name;
  std::string_view plural;
  std::string_view folder;
};
constexpr std::array<KindRow, all_kinds.size()> kind_rows{{
    {CatalogKind::model, "model", "models", "models/catalog"},
    {CatalogKind::format, "format", "formats", "models/formats"},
    {CatalogKind::engine, "engine", "engines", "models/engines"},
    {CatalogKind::weights, "weights", "weights", "models/weights"},
    {CatalogKind::hardware, "hardware", "hardware", "hardware/catalog"},
    {CatalogKind::memory, "memory", "memories", "hardware/memories"},
    {CatalogKind::host, "host", "hosts", "hardware/hosts"},
    {CatalogKind::drive, "drive", "drives", "hardware/drives"},
    {CatalogKind::link, "link", "links", "hardware/links"},
    {CatalogKind::scenario, "scenario", "scenarios", "scenarios/library"},
}};

const KindRow& row_of(CatalogKind kind) { return *std::ranges::find(kind_rows, kind, &KindRow::kind); }

bool is_path(std::string_view reference) {
  return reference.find('/') != std::string_view::npos || reference.ends_with(".yaml") || reference.ends_with(".yml");
}

// What --set names is looked up from where the command runs, like every file on a command line.
bool is_from_command_line(const Node& node) { return node.mark().file && node.mark().file->name == "<--set>"; }

std::string below(const std::string& folder, std::string file) {
  while (!folder.empty() && file.starts_with("./")) file.erase(0, 2);
  return folder.empty() || fs::path(file).is_absolute() ? file : (fs::path(folder) / file).string();
}

std::string join(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string folder_of_file(const std::string& path) { return fs::path(path).parent_path().string(); }

// Resolves one reference and all that it leads to. `chain_` are the entries being resolved, outermost first.
class Resolver {
 public:
  Resolver(const Catalog& catalog, CatalogKind kind, Diagnostics& diagnostics)
      : catalog_(catalog), kind_(kind), diagnostics_(diagnostics) {}

  Node resolve(const Node& reference, const std::string& beside, const std::string& path) {
    if (reference.is_scalar()) return named(reference, beside, path);
    if (reference.is_map()) return entry(reference, beside, path);
    diagnostics_.error(reference.mark(), path, "expected a name, a file, or a map that extends one");
    return {};
  }

 private:
  struct Place {
    std::string file;
    std::string name;  // in messages
  };

  Node named(const Node& reference, const std::string& beside, const std::string& path) {
    const std::optional<Place> place = find(reference, beside, path);
    if (!place || is_cycle(*place, reference, path)) return {};
    const std::optional<Node> read = read_file(*place, reference, path);
    if (!read) return {};
    chain_.push_back(*place);
    Node whole = entry(*read, folder_of_file(place->file), "");  // its keys stand in that file
    chain_.pop_back();
    return whole;
  }

  std::optional<Place> find(const Node& reference, const std::string& beside, const std::string& path) {
    const std::string& text = reference.text();
    if (is_path(text)) return Place{below(is_from_command_line(reference) ? "" : beside, text), text};
    const std::vector<std::string> known = catalog_.names(kind_);
    if (std::ranges::find(known, text) != known.end()) return Place{catalog_.path_of(kind_, text), text};
    diagnostics_.error(reference.mark(), path, fmt::format("no {} is named {}", name_of(kind_), sim::in_quotes(text)),
                       fmt::format("one of {}, or a file (./my-{}.yaml)", fmt::join(known, ", "), name_of(kind_)),
                       sim::nearest_name(text, known));
    return std::nullopt;
  }

  bool is_cycle(const Place& place, const Node& reference, const std::string& path) {
    const auto is_same = [&](const Place& open) {
      std::error_code ignored;
      return fs::equivalent(open.file, place.file, ignored);
    };
    const auto first = std::ranges::find_if(chain_, is_same);
    if (first == chain_.end()) return false;
    std::string text;
    for (auto open = first; open != chain_.end(); ++open) text += open->name + " -> ";
    diagnostics_.error(reference.mark(), path, "extends itself: " + text + first->name);
    return true;
  }

  // A file that cannot be read is the reference's fault, so it is told at the reference.
  std::optional<Node> read_file(const Place& place, const Node& reference, const std::string& path) {
    const std::size_t before = diagnostics_.all().size();
    try {
      if (!is_path(place.name)) require_regular_file(place.file);
      Node node = sim::read_yaml_file(place.file, diagnostics_);
      if (node.is_map()) return node;
      if (diagnostics_.all().size() == before) diagnostics_.error(node.mark(), "", "expected a map");
    } catch (const sim::IoError& fault) {
      diagnostics_.error(reference.mark(), path, fault.what());
    }
    return std::nullopt;
  }

  // A map as written becomes whole: its base below it, and a node's device in its place.
  Node entry(const Node& written, const std::string& beside, const std::string& path) {
    Node own = written;
    own.remove("extends");
    const bool has_device = kind_ == CatalogKind::hardware && names_device(own);
    if (has_device && !put_device(own, beside, path)) return {};
    const Node* extends = written.find("extends");
    if (extends == nullptr) return own;
    if (!extends->is_scalar()) {
      diagnostics_.error(extends->mark(), join(path, "extends"), "expected a name or a file");
      return {};
    }
    Node base = named(*extends, beside, join(path, "extends"));
    if (!base.is_map()) return {};
    if (has_device) base.remove("device");  // another device, not changes to the base's
    return laid_on(base, own);
  }

  static bool names_device(const Node& node) {
    const Node* device = node.find("device");
    return device != nullptr && (device->is_scalar() || device->find("extends") != nullptr);
  }

  bool put_device(Node& node, const std::string& beside, const std::string& path) {
    const Node device = *node.find("device");
    Node whole = resolve(device, beside, join(path, "device"));
    if (!whole.is_map()) return false;
    node.set("device", std::move(whole), device.mark());
    return true;
  }

  static Node laid_on(const Node& base, const Node& own) {
    Node whole = merged(base, own);
    if (own.find("name") == nullptr) mark_as_changed(whole, own);
    return whole;
  }

  // Without a name of its own a derived entry would pass for its base in every result.
  static void mark_as_changed(Node& whole, const Node& own) {
    const Node* name = whole.find("name");
    if (name == nullptr || !name->is_scalar() || name->text().ends_with(changed_suffix) || own.members().empty())
      return;
    whole.set("name", Node::scalar(name->text() + std::string(changed_suffix), name->mark()), name->mark());
  }

  const Catalog& catalog_;
  CatalogKind kind_;
  Diagnostics& diagnostics_;
  std::vector<Place> chain_;
};

bool holds_catalogs(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / folder_of(CatalogKind::model), ignored);
}

std::string beside_binary() {
  std::error_code fault;
  const fs::path binary = fs::read_symlink("/proc/self/exe", fault);
  return fault ? "" : (binary.parent_path() / KVTRAFFIC_RELATIVE_DATA).lexically_normal().string();
}

}  // namespace

std::string_view folder_of(CatalogKind kind) { return row_of(kind).folder; }
std::string_view name_of(CatalogKind kind) { return row_of(kind).name; }
std::string_view plural_of(CatalogKind kind) { return row_of(kind).plural; }

void require_regular_file(const std::string& file) {
  std::error_code fault;
  const fs::file_status status = fs::status(file, fault);
  if (fs::is_regular_file(status)) return;
  const bool is_unreachable = fault && status.type() != fs::file_type::unknown;
  const std::string why = is_unreachable             ? fault.message()
                          : fs::is_directory(status) ? "it is a folder"
                                                     : "it is no regular file";
  throw sim::IoError(fmt::format("cannot read {}: {}", sim::in_quotes(file), why));
}

Catalog::Catalog(std::string data_folder) : folder_(std::move(data_folder)) {}

Catalog Catalog::find() {
  if (const char* given = std::getenv("KVTRAFFIC_DATA"); given != nullptr && *given != '\0') {
    if (holds_catalogs(given)) return Catalog(given);
    throw sim::IoError(fmt::format("KVTRAFFIC_DATA names {}, which has no folder {}", sim::in_quotes(given),
                                   folder_of(CatalogKind::model)));
  }
  for (const std::string& folder : {beside_binary(), std::string(KVTRAFFIC_SOURCE_DATA)}) {
    if (!folder.empty() && holds_catalogs(folder)) return Catalog(folder);
  }
  throw sim::IoError(fmt::format("no catalogs beside the program nor in {}; KVTRAFFIC_DATA can name their folder",
                                 sim::in_quotes(KVTRAFFIC_SOURCE_DATA)));
}

std::vector<std::string> Catalog::names(CatalogKind kind) const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(fs::path(folder_) / folder_of(kind), ignored)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string Catalog::path_of(CatalogKind kind, const std::string& name) const {
  return (fs::path(folder_) / folder_of(kind) / (name + ".yaml")).string();
}

Node Catalog::read(CatalogKind kind, const std::string& name, Diagnostics& diagnostics) const {
  const std::string file = path_of(kind, name);
  require_regular_file(file);
  return sim::read_yaml_file(file, diagnostics);
}

Node Catalog::resolve(CatalogKind kind, const Node& reference, const std::string& beside,
                      Diagnostics& diagnostics) const {
  return Resolver(*this, kind, diagnostics).resolve(reference, beside, std::string(name_of(kind)));
}

}  // namespace kvtraffic::scenarios
