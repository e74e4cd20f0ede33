// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::fourier {

/// Kind of a transform by cosines or sines, forward.
struct trigonometric_kind {
  unsigned type = 2;            ///< 1 … 4
  bool sines = false;           ///< else cosines
  bool orthogonalized = false;  ///< the ends are scaled so that, with the factor, it is orthogonal
};

/// Transforms of lines of n real numbers by cosines or sines, through a Fourier transform: of real
/// numbers that are extended (type 1), of n real numbers in another order (2, 3), or of n/2 complex
/// ones (4; of 2n, half of them 0, if n is odd).
///
/// Source: Makhoul, A Fast Cosine Transform in One and Two Dimensions, 1980 (types 2 and 3); Wang,
/// Fast Algorithms for the Discrete W Transform and for the Discrete Fourier Transform, 1984 (4).
template <class T> class trigonometric_line {
 public:
  /// Requires n ≥ 1, and n ≥ 2 for cosines of type 1. `scale` is of the results.
  trigonometric_line(const trigonometric_kind& kind, std::size_t n, T scale);

  /// Numbers of memory, aligned to a line.
  [[nodiscard]] std::size_t numbers() const noexcept;
  /// Transforms `count` lines, one behind the other; `from` may be `to`.
  void operator()(const T* from, T* to, std::size_t count, T* memory) const noexcept;

 private:
  /// Steps before the Fourier transform of a line, and after it.
  void enter_type1(const T* x, T* points) const noexcept;
  void leave_type1(const T* results, T* y) const noexcept;
  void enter_type2(const T* x, T* points) const noexcept;
  void leave_type2(const T* results, T* y) const noexcept;
  void enter_type3(const T* x, T* points) const noexcept;
  void leave_type3(const T* results, T* y) const noexcept;
  void enter_type4(const T* x, T* points) const noexcept;
  void leave_type4(const T* results, T* y) const noexcept;

  /// Lines that are transformed together, side by side.
  static constexpr std::size_t together = 16;

  trigonometric_kind kind_;
  std::size_t n_;
  T scale_;
  batch<T> inner_;
  root_table roots_;
  std::size_t points_, results_;  ///< numbers of one inner transform, in and out
};

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
  static line_transform of_complex(std::size_t n, mode<T> how) {
    return line_transform({n, 2}, {n, 2}, batch<T>{plan_for<T>(n), nullptr, nullptr, 1, how});
  }
  /// Transforms n real numbers to n/2 + 1 complex ones; an inverse transform, back.
  static line_transform of_reals(std::size_t n, mode<T> how) {
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

/// Dimension of an array that is read and of one that is written: its elements, and the numbers (of
/// type T) from one to the next.
struct dimension {
  std::size_t size;
  std::ptrdiff_t from, to;
};

/// Transforms of all lines along one axis of an array, in groups of lines side by side. The lines
/// are numbered as the dimensions besides the axis are given, the last one fastest. A line is
/// transformed
///
///     where it is    if its elements follow each other, as well as those of lines behind it
///     as columns     complex lines beside each other: one in each lane of a vector
///     in memory      otherwise: lines beside each other are copied, transformed, and copied back
template <class T> class axis_pass {
 public:
  /// `axis.size` is not used: the lines say how long they are. Dimensions of one element may be
  /// left out.
  axis_pass(line_transform<T> lines, dimension axis, std::vector<dimension> besides);

  /// Groups of lines, and the lines that are in those before group g.
  [[nodiscard]] std::size_t groups() const noexcept { return rows_ * groups_in_row(); }
  [[nodiscard]] std::size_t lines_before(std::size_t g) const noexcept;
  /// Lines of a group, but for the last one of a row.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Numbers of memory, aligned to a line, that a run needs.
  [[nodiscard]] std::size_t numbers() const noexcept;
  /// Transforms the lines of groups [mine.first, mine.last). `from` and `to` are element 0 of the
  /// arrays, which are the same, or have no memory in common.
  void run(const T* from, T* to, interval<> mine, T* memory) const noexcept;

 private:
  enum class way { in_place, columns, copied };

  /// Chooses, and takes the plan for columns if they are meant.
  [[nodiscard]] way choose_way();
  [[nodiscard]] std::size_t groups_in_row() const noexcept {
    return (last_.size + width_ - 1) / width_;
  }
  [[nodiscard]] std::size_t panel_numbers() const noexcept {
    return whole_lines<T>(2 * lines_.in().elements * panel_columns_);
  }
  /// f(from, to, lines), where the lines of these groups are: those of one row of the last
  /// dimension at a time.
  template <class F> void for_each_row(interval<> groups, const F& f) const;
  void run_in_place(const T* from, T* to, interval<> mine, T* memory) const noexcept;
  void run_columns(const T* from, T* to, interval<> mine, T* memory) const noexcept;
  void run_copied(const T* from, T* to, interval<> mine, T* memory) const noexcept;

  line_transform<T> lines_;
  dimension axis_;
  std::vector<dimension> outer_;  ///< besides the last one
  dimension last_{1, 0, 0};
  std::size_t rows_ = 1;
  way way_;
  std::size_t width_ = 1;          ///< lines of a group
  std::size_t panel_columns_ = 0;  ///< columns that are copied together, if they are
  std::shared_ptr<const plane_plan<T>> columns_;
};

}  // namespace pleat::detail::fourier
