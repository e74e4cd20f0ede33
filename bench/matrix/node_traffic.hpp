// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "node_memory.hpp"

namespace pleat::bench {

/// Reads the numbers in order and returns their sum.
[[nodiscard]] std::uint64_t read_in_order(std::span<const std::uint64_t> numbers);

/// The place that many steps behind `from`.
[[nodiscard]] const node_memory::place* follow(const node_memory::place* from, std::size_t steps);

/// Keeps the compiler from leaving out what makes this value.
template <class T> void use(const T& value) { asm volatile("" : : "r"(value) : "memory"); }

}  // namespace pleat::bench
