#pragma once

// How data sets of packed tokens are cut into samples: the settings that they share.

#include <cstdint>
#include <mortise/settings.hpp>
#include <optional>

namespace mortise::windows {

enum class Part { all, train, held_out };
// What is cut: everything as one stream, or each document for itself.
enum class Cut { stream, documents };
enum class Documents { joined, isolated };

struct WindowSettings {
  std::int64_t sequence_length = 0;
  bool share_last_token = true;
  Cut cut = Cut::stream;
  Documents documents = Documents::joined;
  Part part = Part::all;
  std::optional<Amount> hold_out;
};

// For a Config that is derived from WindowSettings.
template <class Config>
constexpr auto window_fields() {
  return fields(
      field<Config, std::int64_t>("sequence_length", &Config::sequence_length)
          .at_least(1)
          .defaults_to("batch.sequence_length")
          .unit("tokens")
          .doc("inputs of one sample; one token more is read, the last target"),
      field<Config, bool>("share_last_token", &Config::share_last_token)
          .doc(
              "whether the last token of a sample is the first of the next, so that every token is "
              "a target; false: samples share nothing")
          .known_as("reuse_last_target"),
      field<Config, Cut>("cut", &Config::cut)
          .choice("stream", Cut::stream)
          .choice("documents", Cut::documents)
          .doc(
              "stream: samples go on across document ends, what does not fill the last one is left "
              "out; documents: a sample holds one document or a part of it, short ones are filled "
              "up with targets that do not count"),
      field<Config, Documents>("documents", &Config::documents)
          .choice("joined", Documents::joined)
          .choice("isolated", Documents::isolated)
          .defaults_to("data.documents")
          .doc("isolated: samples say where documents end, so that none sees another"),
      field<Config, Part>("part", &Config::part)
          .choice("all", Part::all)
          .choice("train", Part::train)
          .choice("held_out", Part::held_out)
          .doc("which side of hold_out to read"),
      field<Config, std::optional<Amount>>("hold_out", &Config::hold_out)
          .amount()
          .doc("share that is held out, such as 5%: whole documents from the end, or the tail of "
               "the only one"));
}

}  // namespace mortise::windows
