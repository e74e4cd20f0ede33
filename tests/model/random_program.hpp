// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "random_rounds.hpp"
#include "script.hpp"

namespace model {

/// One thing a VP does.
struct act {
  enum class kind { send, lend, receive, push, pop, sync, fail };

  kind what;
  std::size_t peer = 0;    ///< of send, lend, push, pop: a rank, or none if it is v or larger
  std::size_t count = 0;   ///< send, lend: bytes; receive: messages at most; push, pop: values
  std::uint64_t seed = 0;  ///< of what is sent, lent or pushed
  unsigned label = 0;      ///< of sync, or none if it is L or larger
  bool caught = false;     ///< the program catches its own exception, or the error, and goes on
  bool in_a_task = false;  ///< the VP awaits a task that does it
};

/// What each VP does, one after the other. A VP ends behind its last act.
using program = std::vector<std::vector<act>>;

/// How many values a channel holds; a channel's values are numbered from its first push's seed on.
inline constexpr std::size_t channel_holds = 64;

/// A random program of M(v) that comes to its end: made act by act in one order of events in which
/// no act has to wait, so that it can always be carried out. Labels and clusters, who sends what to
/// whom, who pushes and pops and who ends when are independent of each other.
/// `inside_clusters`: what is sent stays inside the next sync's cluster.
program random_program(std::size_t v, dice& random, bool inside_clusters);

/// Breaks it at a random place: an act is lost, done twice, too early, with another label or peer,
/// or replaced by an exception. It may come to its end all the same.
void break_somewhere(program& all, dice& random);

/// Why a VP did not come to its end.
enum class obstacle {
  none,
  exception,       ///< the program's own
  misuse,          ///< there is no such rank or label
  out_of_cluster,  ///< strict mode
  channel,         ///< it waits there for ever
  barrier,
};
struct ending {
  obstacle why = obstacle::none;
  unsigned label = 0;  ///< of the barrier
  friend bool operator==(const ending&, const ending&) = default;
};

/// What the rules of the model say of a program: what everybody is given as far as everybody comes,
/// whatever fails elsewhere. A plain interpreter that shares nothing with the library.
struct prediction {
  trace given;  ///< messages and popped values; `step`: the act
  totals counted;
  std::vector<ending> endings;  ///< [rank]

  [[nodiscard]] bool all_end() const;
  [[nodiscard]] bool somebody_fails() const;
  /// Somebody waits at sync(i), another of the same i-cluster at a coarser one.
  [[nodiscard]] bool labels_differ() const;
};
prediction predict(const program& all, bool strict);

/// To be read by whoever looks for the cause.
std::string to_text(const program& all);

}  // namespace model
