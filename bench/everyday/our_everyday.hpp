// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pleat/runtime/machine.hpp>

#include "everyday_work.hpp"

namespace pleat::bench {

template <class T> using our_call = std::uint64_t (*)(machine& on, everyday_arrays<T>);

/// Pleat's algorithm. T is double or std::uint32_t.
template <class T> [[nodiscard]] our_call<T> our_everyday(everyday what);

}  // namespace pleat::bench
