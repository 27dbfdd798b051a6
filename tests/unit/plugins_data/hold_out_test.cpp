// What is trained on and what is held out.

#include "plugins/data/windows/hold_out.hpp"

#include <doctest/doctest.h>

#include "plugins/data/pbin/pbin_writer.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::token_files::TokenFile;
using mortise::windows::Part;

// Files whose documents have the given sizes.
std::vector<TokenFile> files_of(const ScratchFolder& folder,
                                const std::vector<std::vector<std::size_t>>& sizes) {
  std::vector<TokenFile> files;
  for (std::size_t f = 0; f != sizes.size(); ++f) {
    const std::string path = folder.path(std::to_string(f) + ".pbin");
    mortise::pbin::PbinWriter writer(path, 1, mortise::pbin::PartialFile::Busy::fail);
    for (const std::size_t size : sizes[f]) {
      writer.add(std::vector<std::uint32_t>(size, 1));
      writer.end_document();
    }
    writer.finish({});
    writer.publish();
    files.emplace_back(path);
  }
  return files;
}

}  // namespace

TEST_CASE("hold_out: whole documents from the end until the share is reached, never all") {
  struct Row {
    const char* what;
    std::vector<std::vector<std::size_t>> sizes;
    double share;
    std::vector<std::int64_t> cuts;
  };
  for (const Row& row :
       {Row{"exactly one", {{50, 45, 5}}, 0.05, {95}},
        Row{"a little more", {{50, 45, 5}}, 0.06, {50}},
        Row{"the only one is cut", {{100}}, 0.05, {95}}, Row{"share rounded up", {{10}}, 0.01, {9}},
        Row{"over files", {{40, 10}, {30, 10}, {10}}, 0.2, {50, 30, 0}},
        Row{"into the middle of files", {{40, 10}, {30, 10}, {10}}, 0.3, {50, 0, 0}},
        Row{"a large first document stays", {{90, 10}}, 0.5, {90}},
        Row{"a large first file stays", {{90}, {10}}, 0.5, {90, 0}},
        Row{"empty documents at the end", {{50, 50, 0, 0}}, 0.05, {50}},
        Row{"empty files", {{}, {100}, {}}, 0.1, {0, 90, 0}},
        Row{"one document in the last file", {{}, {60, 40}}, 0.1, {0, 60}},
        Row{"no tokens", {{}}, 0.1, {0}}}) {
    CAPTURE(row.what);
    const ScratchFolder folder;
    CHECK(mortise::windows::cuts(files_of(folder, row.sizes), row.share) == row.cuts);
  }
}

TEST_CASE("hold_out: train and held_out together are all, and share nothing") {
  const ScratchFolder folder;
  const std::vector<std::vector<std::size_t>> sizes = {{40, 10}, {30, 10}, {10}};
  const mortise::Amount share = mortise::percent(30);
  const auto all = mortise::windows::streams_of(files_of(folder, sizes), Part::all, {});
  const auto train = mortise::windows::streams_of(files_of(folder, sizes), Part::train, share);
  const auto held = mortise::windows::streams_of(files_of(folder, sizes), Part::held_out, share);
  for (std::size_t f = 0; f != all.size(); ++f) {
    CHECK(train[f].first == 0);
    CHECK(held[f].first == train[f].size);
    CHECK(train[f].size + held[f].size == all[f].size);
  }
}

TEST_CASE("hold_out: other units, impossible shares and a part without a share are refused") {
  using mortise::Amount;
  const auto message = [](const Amount& amount) {
    return message_of<mortise::ConfigError>([&] { mortise::windows::share_of(amount); });
  };
  CHECK(contains(message(mortise::steps(5)), "percentage such as 5%"));
  CHECK(contains(message({1e6, Amount::Unit::tokens}), "percentage"));
  CHECK(contains(message(mortise::percent(0)), "more than 0%"));
  CHECK(contains(message(mortise::percent(100)), "less than 100%"));
  const ScratchFolder folder;
  CHECK(contains(message_of<mortise::ConfigError>([&] {
                   mortise::windows::streams_of(files_of(folder, {{5}}), Part::train, {});
                 }),
                 "need hold_out"));
}
