// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "evaluated_program.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {

// Parts that the programs which are evaluated have in common: their machine, their input, their
// sizes.

using values = std::vector<std::uint64_t>;

[[nodiscard]] inline machine_options traced(const evaluation_request& request) {
  machine_options options;
  // One worker counts, wherever it and its memory are: what the environment says is for others.
  options.place = placement_request{};
  options.memory = memory_policy{};
  options.trace = tracing{request.dummies, request.processors,
                          request.messages || request.routing == routing::ascend_descend};
  return options;
}

[[nodiscard]] inline values random_values(const evaluation_request& request) {
  values result(request.n);
  fill_keys<std::uint64_t>(result, distribution("random"), request.seed);
  return result;
}

/// Throws: pleat::error naming the program if its result is not right.
inline void verify(bool right, std::string_view program) {
  if (!right) throw error("verification failed: " + std::string(program) + " computed nonsense");
}

inline constexpr accepted_sizes any_size{"any number from 2", [](std::size_t n) { return n >= 2; }};
inline constexpr accepted_sizes power_of_two{
    "a power of two, 2 or more", [](std::size_t n) { return n >= 2 && std::has_single_bit(n); }};
inline constexpr accepted_sizes power_of_four{
    "a power of four, 4 or more",
    [](std::size_t n) { return power_of_two.accepts(n) && std::countr_zero(n) % 2 == 0; }};
inline constexpr accepted_sizes power_of_eight{
    "a power of eight, 8 or more",
    [](std::size_t n) { return power_of_two.accepts(n) && std::countr_zero(n) % 3 == 0; }};

}  // namespace pleat::bench
