// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pleat/runtime/interval.hpp>

#include "fft/axis_pass.hpp"
#include "fft/line_transform.hpp"

namespace pleat::detail::fourier {

/// Arrays of a transform of several axes. Input and output are the user's; in the middle one the
/// passes between the first and the last take place: it is the output, unless that is of real
/// numbers.
enum class side { input, middle, output };
inline constexpr std::size_t sides = 3;

/// Dimension of one of the user's arrays: its elements, and how many elements lie between one and
/// the next if the array is dense.
struct blocked_dimension {
  std::size_t size, step;
};

/// Dimension of all of them: how many lines there are of other axes, and the numbers from one to
/// the next in each array.
struct lined_dimension {
  std::size_t size;
  std::array<std::ptrdiff_t, sides> strides;
  blocked_dimension input, output;

  [[nodiscard]] std::ptrdiff_t stride(side of) const noexcept {
    return strides[static_cast<std::size_t>(of)];
  }
  /// Dimension for a pass that reads one array and writes another one.
  [[nodiscard]] dimension between(side read, side written) const noexcept {
    return {size, stride(read), stride(written)};
  }
};

/// Element 0 of the three arrays, or of parts of them.
template <class T> struct places {
  const T* input;
  T* middle;
  T* output;

  [[nodiscard]] const T* read(side of) const noexcept {
    return of == side::input ? input : of == side::middle ? middle : output;
  }
  [[nodiscard]] T* written(side of) const noexcept { return of == side::middle ? middle : output; }
  /// Places of index i of a dimension.
  [[nodiscard]] places at(const lined_dimension& along, std::size_t i) const noexcept {
    const auto k = static_cast<std::ptrdiff_t>(i);
    return {input + k * along.strides[0], middle + k * along.strides[1],
            output + k * along.strides[2]};
  }
};

/// Pass along an axis, and which arrays it reads and writes.
template <class T> struct placed_pass {
  side read, written;
  axis_pass<T> of;
  /// Transforms the lines of these groups.
  void run(const places<T>& at, interval<> groups, T* memory) const noexcept {
    of.run(at.read(read), at.written(written), groups, memory);
  }
};

/// Axis that is transformed.
template <class T> struct transformed_axis {
  lined_dimension along;
  line_transform<T> lines;
  side read = side::middle, written = side::middle;

  [[nodiscard]] placed_pass<T> pass(const std::vector<lined_dimension>& besides) const {
    std::vector<dimension> seen;
    for (const lined_dimension& one : besides) seen.push_back(one.between(read, written));
    return {read, written, axis_pass<T>(lines, along.between(read, written), std::move(seen))};
  }
};

}  // namespace pleat::detail::fourier
