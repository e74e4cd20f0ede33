// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/runtime/interval.hpp>

#include "fft/trigonometric.hpp"

namespace pleat::detail::fourier {

/// Elements of a line: how many, and of how many numbers each; complex ones have two.
struct line_shape {
  std::size_t elements, unit;
  [[nodiscard]] constexpr std::size_t numbers() const noexcept { return elements * unit; }
};

/// Transform of lines: of complex numbers, of real ones whose spectrum is complex, or by cosines or
/// sines.
template <class T> class line_transform {
 public:
  /// Transforms n complex numbers. Requires n ≥ 1, as the others do.
  static line_transform of_complex(std::size_t n, ends<T> how) {
    return line_transform({n, 2}, {n, 2}, batch<T>{plan_for<T>(n), nullptr, nullptr, 1, how});
  }
  /// Transforms n real numbers to n/2 + 1 complex ones; an inverse transform, back.
  static line_transform of_reals(std::size_t n, ends<T> how) {
    const line_shape time{n, 1}, frequency{n / 2 + 1, 2};
    return line_transform(how.inverse ? frequency : time, how.inverse ? time : frequency,
                          real_batch<T>(n, nullptr, nullptr, 1, how));
  }
  /// Transforms n real numbers to as many. Requires what trigonometric_line does.
  static line_transform of_trigonometric(const trigonometric_kind& kind, std::size_t n, T scale) {
    return line_transform(n, trigonometric_line<T>(kind, n, scale));
  }

  [[nodiscard]] const line_shape& in() const noexcept { return in_; }
  [[nodiscard]] const line_shape& out() const noexcept { return out_; }
  /// The transform if complex numbers become complex ones, which kernels of columns carry out.
  [[nodiscard]] const batch<T>* complex() const noexcept {
    return fourier_ && fourier_->signal == signal::complex ? &*fourier_ : nullptr;
  }

  /// The batch that transforms `count` lines, one behind the other; none of cosines or sines.
  [[nodiscard]] std::optional<batch<T>> batch_of(const T* from, T* to, std::size_t count) const {
    std::optional<batch<T>> all = fourier_;
    if (all) {
      all->from = from;
      all->to = to;
      all->count = count;
    }
    return all;
  }

  /// Numbers of memory, aligned to a line, that it needs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return fourier_ ? sequence_numbers(*fourier_) : trigonometric_->numbers();
  }
  /// Makes the function that carries it out, in `memory` of numbers(), aligned to a line. f(from,
  /// to, count) transforms `count` lines, one behind the other; `from` may be `to` if both have the
  /// same shape.
  [[nodiscard]] auto in_memory(T* memory) const {
    // A copy of the batch of its own: where the lines are changes from call to call.
    return [work = fourier_, trigonometric = trigonometric_ ? &*trigonometric_ : nullptr, memory](
               const T* from, T* to, std::size_t count) mutable {
      if (trigonometric != nullptr) {
        (*trigonometric)(from, to, count, memory);
        return;
      }
      work->from = from;
      work->to = to;
      work->count = count;
      transform_sequences(*work, interval<>{0, count}, memory);
    };
  }

 private:
  line_transform(line_shape in, line_shape out, batch<T> work)
      : in_(in), out_(out), fourier_(std::move(work)) {}
  line_transform(std::size_t n, trigonometric_line<T> work)
      : in_{n, 1}, out_{n, 1}, trigonometric_(std::move(work)) {}

  line_shape in_, out_;
  std::optional<batch<T>> fourier_;
  std::optional<trigonometric_line<T>> trigonometric_;
};

}  // namespace pleat::detail::fourier
