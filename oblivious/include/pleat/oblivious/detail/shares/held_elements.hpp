// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/distributed/declared.hpp>

namespace pleat::detail::everyday {

/// Element i of distributed data, where this rank has it.
template <class T> struct held_elements {
  explicit held_elements(const distributed<T>& data) noexcept
      : block(data.local().data()), first(data.block().first) {}
  const T& operator()(std::size_t i) const noexcept { return block[i - first]; }

  const T* block;
  std::size_t first;
};

}  // namespace pleat::detail::everyday
