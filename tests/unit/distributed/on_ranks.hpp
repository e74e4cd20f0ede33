// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "rank_threads.hpp"

/// Numbers of workers of few ranks: prime numbers and unequal ones are the hard ones. Ranks wait by
/// spinning: when a sanitizer watches each look, fewer must do.
inline std::vector<std::vector<unsigned>> few_ranks() {
  if (pleat::detail::sanitized) return {{1}, {2, 1}, {1, 1, 1}};
  return {{1}, {3}, {2, 1}, {1, 3, 2}, {1, 1, 1, 1, 1}};
}
/// Machines of few ranks, and of 9.
inline std::vector<std::vector<unsigned>> machines_of_ranks() {
  auto all = few_ranks();
  if (!pleat::detail::sanitized) all.emplace_back(9, 1);
  return all;
}

/// Calls act(machine) on each rank, in a thread of its own, which is to succeed.
inline void on_ranks(const machine_of_ranks& machine,
                     const std::function<void(pleat::machine&)>& act) {
  const auto thrown =
      on_all_ranks(machine.ranks(), [&](std::size_t rank) { act(machine.on(rank)); });
  for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
    try {
      if (thrown[rank]) std::rethrow_exception(thrown[rank]);
    } catch (const std::exception& e) {
      ADD_FAILURE() << "rank " << rank << ": " << e.what();
    }
  }
}

/// The words of what act(machine) throws on each rank; "" if nothing.
inline std::vector<std::string> words_on_ranks(const machine_of_ranks& machine,
                                               const std::function<void(pleat::machine&)>& act) {
  std::vector<std::string> words(machine.ranks());
  on_all_ranks(machine.ranks(), [&](std::size_t rank) {
    try {
      act(machine.on(rank));
    } catch (const std::exception& e) {
      words[rank] = e.what();
    }
  });
  return words;
}
/// Expects act(machine) to throw on each rank what says this.
inline void expect_words(const machine_of_ranks& machine, const std::string& words,
                         const std::function<void(pleat::machine&)>& act) {
  for (const std::string& each : words_on_ranks(machine, act))
    EXPECT_NE(each.find(words), std::string::npos) << each;
}
