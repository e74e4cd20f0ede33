// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// Description of the work, and of its rival: the fields of its line of JSON.
struct work_description {
  std::string work;   ///< e.g. "distributed-sort"
  std::size_t n = 0;  ///< problem size, in the work's own unit
  std::string type;   ///< of the elements
  std::string rival;  ///< what the rival is, in words
  std::string rival_version;
};

/// Functions that do one work over ranks, by Pleat and by a rival. All ranks call all of them, in
/// the same order. `check` says what is wrong with the last results, the same on all ranks; nothing
/// if they are right.
struct both_sides {
  std::function<void()> prepare_ours;  ///< not timed; may be empty
  std::function<void()> ours;
  std::function<void()> prepare_rival;
  std::function<void()> rival;
  std::function<std::string()> check;
  std::size_t calls = 1;  ///< how often `ours`, and `rival`, do the work in one call
};

/// Runs both once, checks, and then times them in turns, in random order. A sample is the time from
/// a barrier on until the slowest rank is done. Rank 0 prints medians as a line of JSON, an entry
/// of `pleat compare`'s `comparisons`. Throws: std::runtime_error, on all ranks, what `check` says.
void compare_sides(pleat::machine& machine, const work_description& what, const both_sides& sides,
                   std::size_t repetitions);

/// Tells whether `here` is true on all ranks.
[[nodiscard]] bool everywhere(bool here);

/// Returns a number that looks random and depends on i alone.
[[nodiscard]] constexpr std::uint64_t scrambled(std::uint64_t i) {
  std::uint64_t x = i + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Scrambles i into a number between 0 and 1.
[[nodiscard]] constexpr double scrambled_share(std::uint64_t i) {
  return static_cast<double>(scrambled(i) >> 11U) * 0x1p-53;
}

}  // namespace pleat::bench
