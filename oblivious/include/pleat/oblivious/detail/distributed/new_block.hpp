// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// New content of a rank's block, in the machine's scratch memory until all ranks have theirs.
template <class T> class new_block {
 public:
  new_block(machine& on, std::span<T> block) noexcept : on_(&on), block_(block) {}

  /// Makes that many arrays without values, each as long as the block, and what more(arena) takes,
  /// while the rank is alone. Throws: std::bad_alloc.
  template <class More> void make(std::size_t arrays, const More& more) {
    scratch_.emplace(*on_, machine::use::scratch);
    arena::take(*on_, [&](arena& in) {
      arrays_ = in.arrays<T>(block_.size(), arrays);
      more(in);
    });
  }
  void make(std::size_t arrays = 1) {
    make(arrays, [](arena&) {});
  }
  [[nodiscard]] T* data(std::size_t array = 0) const noexcept { return arrays_[array]; }

  /// Copies the first array into the block, which cannot fail.
  void put() const {
    distribution::in_parts_or_alone(*on_, block_.size(), [this](const interval<>& part) {
      std::copy_n(data() + part.first, part.size(), block_.data() + part.first);
    });
  }

 private:
  machine* on_;
  std::span<T> block_;
  std::optional<machine::turn> scratch_;
  vp_arrays<T> arrays_;
};

}  // namespace pleat::detail::distribution
