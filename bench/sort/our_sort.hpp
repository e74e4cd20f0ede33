// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

#include "sort_keys.hpp"

namespace pleat::bench {

/// Pleat's sort of keys by less: records by a projection to the number they are sorted by.
template <class T> run_report sort_keys_of(machine& on, std::span<T> keys, sort_options how = {}) {
  return pleat::sort(on, keys, std::ranges::less(), compared_part<T>(), how);
}

}  // namespace pleat::bench
