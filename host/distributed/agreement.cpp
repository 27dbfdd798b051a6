#include "host/distributed/agreement.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

std::string as_text(const std::vector<AgreementItem>& items) {
  nlohmann::json all = nlohmann::json::array();
  for (const AgreementItem& i : items) all.push_back({i.name, i.value});
  return all.dump();
}

// The first lines in which two texts differ, as "theirs" and "ours".
std::pair<std::string, std::string> first_difference(const std::string& theirs,
                                                     const std::string& ours) {
  std::istringstream a(theirs), b(ours);
  std::string x, y;
  while (true) {
    const bool more_a = bool(std::getline(a, x)), more_b = bool(std::getline(b, y));
    if (!more_a) x = "nothing";
    if (!more_b) y = "nothing";
    if (x != y || (!more_a && !more_b)) return {x, y};
  }
}

// The first item in which `theirs` differs from ours, or "".
std::string difference(const std::vector<AgreementItem>& ours, const std::string& theirs,
                       std::int64_t rank) {
  const auto all = nlohmann::json::parse(theirs);
  for (std::size_t i = 0; i != ours.size(); ++i) {
    const std::string name = i < all.size() ? all[i][0].get<std::string>() : "nothing";
    const std::string value = i < all.size() ? all[i][1].get<std::string>() : "";
    if (name == ours[i].name && value == ours[i].value) continue;
    const auto [x, y] = first_difference(value, ours[i].value);
    return "rank " + std::to_string(rank) + " has " + name + " `" + x + "`, rank 0 has " +
           ours[i].name + " `" + y + "`";
  }
  return all.size() == ours.size() ? ""
                                   : "rank " + std::to_string(rank) + " brings more than rank 0";
}

std::string verdict_of(Rendezvous& rendezvous, const RankEnvironment& ranks,
                       const std::vector<AgreementItem>& mine) {
  for (std::int64_t r = 1; r < ranks.size; ++r) {
    const std::string found =
        difference(mine, rendezvous.get("agreement/" + std::to_string(r), r), r);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

void require_agreement(Rendezvous& rendezvous, const RankEnvironment& ranks,
                       const std::vector<AgreementItem>& mine) {
  std::string verdict;
  if (ranks.rank == 0) {
    verdict = verdict_of(rendezvous, ranks, mine);
    rendezvous.set("agreement/verdict", "v" + verdict);
  } else {
    rendezvous.set("agreement/" + std::to_string(ranks.rank), as_text(mine));
    verdict = rendezvous.get("agreement/verdict", 0).substr(1);
  }
  if (verdict.empty()) return;
  if (ranks.rank != 0) throw Failure("R0104", Exit::ranks, "");  // rank 0 says it
  throw Failure("R0104", Exit::ranks,
                "error[R0104]: the ranks of this run are not alike: " + verdict +
                    ": give all ranks the same program, plugins and files");
}

}  // namespace mortise::host
