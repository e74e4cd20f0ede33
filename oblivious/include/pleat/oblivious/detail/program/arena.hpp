// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail {

/// Equally long arrays, one for each VP.
template <class T> class vp_arrays {
 public:
  vp_arrays() = default;
  vp_arrays(std::uintptr_t first, std::size_t stride) noexcept : first_(first), stride_(stride) {}

  [[nodiscard]] T* operator[](std::size_t rank) const noexcept {
    return reinterpret_cast<T*>(first_ + rank * stride_);  // NOLINT(performance-no-int-to-ptr)
  }

 private:
  std::uintptr_t first_ = 0;
  std::size_t stride_ = 0;  // bytes
};

/// Hands out arrays from scratch memory, one behind the other, each on lines of its own, so that no
/// two VPs write one. The arrays hold no objects yet. Each has the length that was asked for: what
/// a program writes behind it is found under the address sanitizer (red_zones).
///
///     arena::take(machine, [&](arena& in) {
///       keys = in.array<key>(n);
///       work = in.arrays<key>(each, vps);                  // an array for each VP
///     });
///
/// The function that asks is called twice: first with an arena without memory, to measure, then to
/// get the arrays. So no size is stated twice. It must ask for the same both times.
class arena {
 public:
  /// Measures, or hands out `memory`, which is aligned to destructive_distance.
  explicit arena(std::byte* memory = nullptr) noexcept
      : first_(reinterpret_cast<std::uintptr_t>(memory)) {}

  /// Requires: a turn at the machine. Throws: std::bad_alloc; what `lay_out` throws.
  template <class LayOut> static void take(machine& on, const LayOut& lay_out) {
    arena measured;
    lay_out(measured);
    if (measured.bytes() == 0) return;
    arena taken(on.scratch(measured.bytes()).data());
    lay_out(taken);
  }

  template <class T> [[nodiscard]] T* array(std::size_t length) { return arrays<T>(length, 1)[0]; }
  template <class T> [[nodiscard]] vp_arrays<T> arrays(std::size_t length, std::size_t vps) {
    static_assert(alignof(T) <= destructive_distance, "arrays are aligned to 128 bytes, no more");
    const std::size_t size = length * sizeof(T);
    const std::size_t stride = round_up_to_distance(size) + red_zones::bytes;
    const vp_arrays<T> found(first_ + used_, stride);
    if (red_zones::bytes > 0 && first_ != 0 && !shared_)
      for (std::size_t vp = 0; vp < vps; ++vp)
        red_zones::make(reinterpret_cast<std::byte*>(found[vp]) + size, stride - size);
    used_ += vps * stride;
    most_ = std::max(most_, used_);
    return found;
  }

  /// Position to go back to: arrays asked for afterwards share memory with those asked for since.
  /// For steps of a program that follow one another. Memory that is shared has no red zones.
  [[nodiscard]] std::size_t position() const noexcept { return used_; }
  void go_back(std::size_t position) noexcept {
    if (first_ != 0)
      red_zones::lift(vp_arrays<std::byte>(first_ + position, 0)[0], most_ - position);
    shared_ = true;
    used_ = position;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return most_; }

 private:
  std::uintptr_t first_;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
  bool shared_ = false;
};

}  // namespace pleat::detail
