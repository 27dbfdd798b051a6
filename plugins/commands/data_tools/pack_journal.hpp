#pragma once

// OUT.journal.partial: how far a job of packing has come, so that it can be gone on with. JSON
// lines: what the job is, then an entry after each block, written when everything before it is on
// the disk.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../data/corpus/packer.hpp"
#include "../../data/pbin/partial_file.hpp"
#include "../../data/pbin/pbin_writer.hpp"

namespace mortise::data_tools {

class PackJournal {
 public:
  // What makes a job the same one: names, such as `field` or `input a.jsonl`, and values.
  using Job = std::vector<std::pair<std::string, std::string>>;
  struct Entry {
    corpus::PackState pack;
    pbin::PbinState tokens;
    std::uint64_t report_bytes = 0;
  };

  // `resume`: whether what an interrupted job left counts.
  // Errors: Error(storage); DataError when that was another job, naming what differs.
  PackJournal(std::string path, const Job& job, const std::vector<std::string>& files, bool resume);

  // Where to go on; nothing: at the start.
  const std::optional<Entry>& last() const { return last_; }
  void add(const Entry& entry);
  bool has_entries() const { return has_entries_ || last_; }
  void leave() { file_.leave(); }

 private:
  std::string content();
  void read_job(std::string_view line, const Job& job);
  void read_entry(std::string_view line);

  pbin::PartialFile file_;
  std::vector<pbin::SideFile::Source> sources_;  // as the entries have them
  std::size_t first_changed_ = 0;                // of the sources, since the last entry
  std::optional<Entry> last_;
  bool has_entries_ = false;
};

}  // namespace mortise::data_tools
