// SPDX-License-Identifier: Apache-2.0
// A program of M(v) as data: acts that the player carries out and the interpreter judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

/// Program: the acts of each VP, one after the other. A VP ends behind its last act.
using program = std::vector<std::vector<act>>;

/// Number of values that a channel holds; a channel's values are numbered from its first push's
/// seed on.
inline constexpr std::size_t channel_holds = 64;

/// To be read by whoever looks for the cause.
std::string to_text(const program& all);

/// The ranks from `first` to before `last`.
struct range {
  std::size_t first, last;
  [[nodiscard]] bool contains(std::size_t rank) const { return first <= rank && rank < last; }
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// L, and the ranks that sync(label) of this one joins: by definition, not as the library has them.
unsigned labels_of(std::size_t v);
range cluster_of(std::size_t v, std::size_t rank, unsigned label);

}  // namespace model
