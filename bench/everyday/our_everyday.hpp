// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pleat/runtime/machine.hpp>

#include "everyday_work.hpp"

namespace pleat::bench {

/// Pleat's algorithm. T is double or std::uint32_t.
template <class T>
[[nodiscard]] std::uint64_t our_everyday(machine& on, everyday what, everyday_arrays<T> x);

}  // namespace pleat::bench
