// Finding catalog entries by name or file and resolving `extends`, so that the rooms only ever see whole entries.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "hardware/machine/dram_windows.hpp"
#include "sim/config/node.hpp"

namespace kvtraffic::scenarios {

enum class CatalogKind { model, format, engine, weights, hardware, memory, host, drive, link, scenario };
inline constexpr std::array all_kinds{
    CatalogKind::model,  CatalogKind::format, CatalogKind::engine, CatalogKind::weights, CatalogKind::hardware,
    CatalogKind::memory, CatalogKind::host,   CatalogKind::drive,  CatalogKind::link,    CatalogKind::scenario};
[[nodiscard]] std::string_view folder_of(CatalogKind kind);  // "models/catalog"
[[nodiscard]] std::string_view name_of(CatalogKind kind);    // "model"
[[nodiscard]] std::string_view plural_of(CatalogKind kind);  // "models"

// IoError unless `file` is a regular file, or a link to one: reading anything else may never end.
void require_regular_file(const std::string& file);

class Catalog {
 public:
  // `data` holds models/catalog, hardware/catalog, ...
  explicit Catalog(std::string data_folder);
  // The folder beside the installed binary, or the source tree it was built from; $KVTRAFFIC_DATA overrides. IoError
  // when none exists.
  [[nodiscard]] static Catalog find();

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::vector<std::string> names(CatalogKind kind) const;  // sorted
  [[nodiscard]] std::string path_of(CatalogKind kind, const std::string& name) const;
  // IoError when the file cannot be read.
  [[nodiscard]] sim::Node read(CatalogKind kind, const std::string& name, sim::Diagnostics& diagnostics) const;

  // `reference`: a name, a path (has '/' or ends in .yaml; relative to `beside`, the folder of the file that names it),
  // or a map with `extends`. Returns the whole entry: bases merged, for hardware the `device` of a node put in place.
  // Unknown names, unreadable files and cycles of `extends` (printed as a chain) go to `diagnostics`. An entry that
  // changes its base without a name of its own is called "NAME-changed", so that results tell the two apart. What --set
  // names is looked up from the working folder.
  [[nodiscard]] sim::Node resolve(CatalogKind kind, const sim::Node& reference, const std::string& beside,
                                  sim::Diagnostics& diagnostics) const;
  // Windows of DRAM commands that machines of this catalog's parts have run; a copy shares them.
  [[nodiscard]] const std::shared_ptr<hardware::DramWindows>& windows() const { return windows_; }

 private:
  std::string folder_;
  std::shared_ptr<hardware::DramWindows> windows_ = std::make_shared<hardware::DramWindows>();
};

}  // namespace kvtraffic::scenarios
