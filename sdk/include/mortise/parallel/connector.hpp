#pragma once

#include <mortise/c/connector.h>

#include <mortise/parallel/communicator.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Ranks that are to be connected, as one of them sees them.
struct RankGroup {
  std::string name{};                 ///< equal on all members, unlike any other group's of the run
  std::vector<std::int64_t> ranks{};  ///< the members' places in the run, ascending
  std::int64_t rank = 0;              ///< own place among the members
  double timeout = 300;               ///< seconds that a member waits for the others
  std::string device = "cpu";         ///< where this member's tensors lie: "cpu", "cuda:1"
};

/// Where members of a group leave what the others need to find them. Lent for the call of connect.
///
/// Threads: the one that called connect.
/// Ranks:   a key belongs to the group; members set different ones.
class GroupStore : public Interface {
 public:
  virtual void set(std::string_view key, std::string_view value) = 0;
  /// Waits for the value. `rank`: the member that sets it, its place in the group.
  /// Errors: Error(lost_rank) naming the member when the time-out has passed.
  virtual std::string get(std::string_view key, std::int64_t rank) = 0;
};

/// Makes the communicators of a run: what carries collectives. `run.communicator` names one; the
/// host has Gloo of its own.
///
/// Threads: step thread.
class Connector : public Interface {
 public:
  /// Connects the members, two or more.
  ///
  /// Errors: Error(not_supported) with the reason where it cannot be done, such as on this machine
  ///         or with these members: on every member, or on none; Error(lost_rank) when a member
  ///         does not come.
  /// Ranks:  collective over the group. After it returns, every member has come.
  virtual std::unique_ptr<Communicator> connect(const RankGroup& group, GroupStore& store) = 0;
};

namespace kit {
template <>
struct members<RankGroup> {
  MORTISE_MEMBERS(RankGroup, mt_rank_group);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(ranks), MORTISE_MEMBER(rank),
                 MORTISE_MEMBER(timeout), MORTISE_MEMBER(device)};
};
}  // namespace kit

template <>
class Remote<GroupStore> : public kit::RemoteBase<GroupStore, mt_group_store_v1> {
 public:
  static constexpr const char* id = "mortise/group_store/1";
  using Methods = kit::Methods<&GroupStore::set, &GroupStore::get>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void set(std::string_view key, std::string_view value) override {
    call(&Table::set, &GroupStore::set, key, value);
  }
  std::string get(std::string_view key, std::int64_t rank) override {
    return call(&Table::get, &GroupStore::get, key, rank);
  }
};

template <>
class Remote<Connector> final : public kit::RemoteBase<Connector, mt_connector_v1> {
 public:
  static constexpr const char* id = "mortise/connector/1";
  using Methods = kit::Methods<&Connector::connect>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::unique_ptr<Communicator> connect(const RankGroup& group, GroupStore& store) override {
    return call(&Table::connect, &Connector::connect, group, store);
  }
};

}  // namespace mortise
