// SPDX-License-Identifier: Apache-2.0
#include "fft/axis_pass.hpp"

#include <algorithm>
#include <numbers>

#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/detail/watch.hpp>

namespace pleat::detail::fourier {
namespace {

/// The transform inside: of the numbers that `enter` makes of a line.
template <class T> batch<T> inner_of(const trigonometric_kind& kind, std::size_t n) {
  const mode<T> forward{};
  switch (kind.type) {
    case 1:
      return real_batch<T>(kind.sines ? 2 * (n + 1) : 2 * (n - 1), nullptr, nullptr, 1, forward);
    case 2:
      return real_batch<T>(n, nullptr, nullptr, 1, forward);
    case 3:
      return real_batch<T>(n, nullptr, nullptr, 1, {true, T{1}, false});
    default:
      break;
  }
  return {plan_for<T>(n % 2 == 0 ? n / 2 : 2 * n), nullptr, nullptr, 1, forward};
}

template <class T> struct pair { T re, im; };
template <class T> pair<T> times(pair<T> a, const root& w) noexcept {
  const auto re = static_cast<T>(w.re), im = static_cast<T>(w.im);
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

}  // namespace

template <class T>
trigonometric_line<T>::trigonometric_line(const trigonometric_kind& kind, std::size_t n, T scale)
    : kind_(kind),
      n_(n),
      scale_(scale),
      inner_(inner_of<T>(kind, n)),
      roots_(kind.type == 1   ? 1
             : kind.type == 4 ? 8 * n
                              : 4 * n),
      points_(inner_.how.inverse ? inner_.frequency_numbers() : inner_.time_numbers()),
      results_(inner_.how.inverse ? inner_.time_numbers() : inner_.frequency_numbers()) {}

template <class T> std::size_t trigonometric_line<T>::numbers() const noexcept {
  return whole_lines<T>(together * points_) + whole_lines<T>(together * results_) +
         sequence_numbers(inner_);
}

template <class T>
void trigonometric_line<T>::operator()(const T* from, T* to, std::size_t count,
                                       T* memory) const noexcept {
  T* const points = memory;
  T* const results = points + whole_lines<T>(together * points_);
  T* const rest = results + whole_lines<T>(together * results_);
  using line = trigonometric_line;
  using step = void (line::*)(const T*, T*) const noexcept;
  constexpr step enters[] = {&line::enter_type1, &line::enter_type2, &line::enter_type3,
                             &line::enter_type4};
  constexpr step leaves[] = {&line::leave_type1, &line::leave_type2, &line::leave_type3,
                             &line::leave_type4};
  const step enter = enters[kind_.type - 1], leave = leaves[kind_.type - 1];
  batch<T> inner = inner_;
  inner.from = points;
  inner.to = results;
  for (std::size_t first = 0; first < count && !given_up(); first += together) {
    const std::size_t some = std::min(together, count - first);
    for (std::size_t i = 0; i < some; ++i)
      (this->*enter)(from + (first + i) * n_, points + i * points_);
    inner.count = some;
    transform_sequences(inner, interval<>{0, some}, rest);
    for (std::size_t i = 0; i < some; ++i)
      (this->*leave)(results + i * results_, to + (first + i) * n_);
  }
}

// Type 1: the numbers and their mirror image, even or odd, are periodic; their spectrum is real or
// imaginary.
template <class T> void trigonometric_line<T>::enter_type1(const T* x, T* points) const noexcept {
  const T ends = kind_.orthogonalized && !kind_.sines ? std::numbers::sqrt2_v<T> : T{1};
  if (kind_.sines) {
    points[0] = points[n_ + 1] = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      points[j + 1] = x[j];
      points[2 * n_ + 1 - j] = -x[j];
    }
    return;
  }
  const std::size_t last = n_ - 1;
  points[0] = ends * x[0];
  points[last] = ends * x[last];
  for (std::size_t j = 1; j < last; ++j) points[j] = points[2 * last - j] = x[j];
}
template <class T> void trigonometric_line<T>::leave_type1(const T* results, T* y) const noexcept {
  if (kind_.sines) {
    for (std::size_t k = 0; k < n_; ++k) y[k] = -scale_ * results[2 * (k + 1) + 1];
    return;
  }
  for (std::size_t k = 0; k < n_; ++k) y[k] = scale_ * results[2 * k];
  if (!kind_.orthogonalized) return;
  y[0] /= std::numbers::sqrt2_v<T>;
  y[n_ - 1] /= std::numbers::sqrt2_v<T>;
}

// Type 2: even numbers upwards, then odd ones downwards; result k, turned by k/4n of a circle, has
// those of k and n − k. Sines are cosines of numbers of alternating sign, in reversed order.
template <class T> void trigonometric_line<T>::enter_type2(const T* x, T* points) const noexcept {
  const T odd = kind_.sines ? T{-1} : T{1};
  for (std::size_t j = 0; 2 * j < n_; ++j) points[j] = x[2 * j];
  for (std::size_t j = 0; 2 * j + 1 < n_; ++j) points[n_ - 1 - j] = odd * x[2 * j + 1];
}
template <class T> void trigonometric_line<T>::leave_type2(const T* results, T* y) const noexcept {
  const auto at = [&](std::size_t k) -> T& { return y[kind_.sines ? n_ - 1 - k : k]; };
  for (std::size_t k = 0; 2 * k <= n_; ++k) {
    const auto turned = times<T>({results[2 * k], results[2 * k + 1]}, roots_(k));
    at(k) = 2 * scale_ * turned.re;
    if (k != 0) at(n_ - k) = -2 * scale_ * turned.im;
  }
  if (kind_.orthogonalized) at(0) /= std::numbers::sqrt2_v<T>;
}

// Type 3: the same steps backwards.
template <class T> void trigonometric_line<T>::enter_type3(const T* x, T* points) const noexcept {
  const auto at = [&](std::size_t k) { return x[kind_.sines ? n_ - 1 - k : k]; };
  points[0] = at(0) * (kind_.orthogonalized ? std::numbers::sqrt2_v<T> : T{1});
  points[1] = 0;
  for (std::size_t k = 1; 2 * k <= n_; ++k) {
    const root w = roots_(k);
    const auto turned = times<T>({at(k), -at(n_ - k)}, {w.re, -w.im});
    points[2 * k] = turned.re;
    points[2 * k + 1] = turned.im;
  }
}
template <class T> void trigonometric_line<T>::leave_type3(const T* results, T* y) const noexcept {
  const T odd = kind_.sines ? -scale_ : scale_;
  for (std::size_t j = 0; 2 * j < n_; ++j) y[2 * j] = scale_ * results[j];
  for (std::size_t j = 0; 2 * j + 1 < n_; ++j) y[2 * j + 1] = odd * results[n_ - 1 - j];
}

// Type 4: of n/2 pairs of a number from the front and one from the back, turned before and after;
// for odd n, of the numbers turned, and as many zeros.
template <class T> void trigonometric_line<T>::enter_type4(const T* x, T* points) const noexcept {
  const auto at = [&](std::size_t j) { return x[kind_.sines ? n_ - 1 - j : j]; };
  if (n_ % 2 == 0) {
    for (std::size_t j = 0; 2 * j < n_; ++j) {
      const auto turned = times<T>({at(2 * j), at(n_ - 1 - 2 * j)}, roots_(4 * j + 1));
      points[2 * j] = turned.re;
      points[2 * j + 1] = turned.im;
    }
    return;
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const auto turned = times<T>({at(j), 0}, roots_(2 * j));
    points[2 * j] = turned.re;
    points[2 * j + 1] = turned.im;
  }
  std::fill(points + 2 * n_, points + 4 * n_, T{});
}
template <class T> void trigonometric_line<T>::leave_type4(const T* results, T* y) const noexcept {
  const T odd = kind_.sines ? T{-1} : T{1};
  const auto put = [&](std::size_t k, T value) {
    y[k] = (k % 2 == 0 ? T{1} : odd) * 2 * scale_ * value;
  };
  if (n_ % 2 == 0) {
    for (std::size_t k = 0; 2 * k < n_; ++k) {
      const auto turned = times<T>({results[2 * k], results[2 * k + 1]}, roots_(4 * k));
      put(2 * k, turned.re);
      put(n_ - 1 - 2 * k, -turned.im);
    }
    return;
  }
  for (std::size_t k = 0; k < n_; ++k)
    put(k, times<T>({results[2 * k], results[2 * k + 1]}, roots_(2 * k + 1)).re);
}

template class trigonometric_line<float>;
template class trigonometric_line<double>;

namespace {

/// Columns longer than this are copied: as many of them as a vector has lanes fill a cache.
constexpr std::size_t longest_columns = 8192;

/// Columns that are copied together to memory of their own, row by row, and back: 0 if they are
/// near each other, or so long that rows would be short. A cache takes in long rows faster than the
/// single lines of a group of columns, which also crowd in few of its sets if rows are a power of
/// two apart.
template <class T>
std::size_t panel_columns_of(std::size_t n, std::ptrdiff_t stride, std::size_t beside) {
  constexpr std::size_t near = std::size_t{1} << 22, most = std::size_t{1} << 18;  // bytes
  constexpr std::size_t longest_row = 1024, shortest_row = 256;
  if (n * static_cast<std::size_t>(stride) * sizeof(T) <= near || n * shortest_row > most) return 0;
  std::size_t row = longest_row;
  while (n * row > most) row /= 2;
  return std::min(row / (2 * sizeof(T)), beside);
}

/// Makes one dimension of two that follow each other without a gap, in both arrays.
void join(std::vector<dimension>& all) {
  std::vector<dimension> joined;
  for (const dimension& inner : all) {
    if (inner.size == 1) continue;
    if (!joined.empty()) {
      dimension& outer = joined.back();
      const auto size = static_cast<std::ptrdiff_t>(inner.size);
      if (outer.from == size * inner.from && outer.to == size * inner.to) {
        outer = {outer.size * inner.size, inner.from, inner.to};
        continue;
      }
    }
    joined.push_back(inner);
  }
  all = std::move(joined);
}

/// Copies `count` lines of `elements` elements of `unit` numbers between two arrays.
template <class T>
void copy_lines(const T* from, std::ptrdiff_t from_line, std::ptrdiff_t from_element, T* to,
                std::ptrdiff_t to_line, std::ptrdiff_t to_element, std::size_t count,
                const line_shape& shape) {
  for (std::size_t e = 0; e < shape.elements; ++e) {
    const T* in = from + static_cast<std::ptrdiff_t>(e) * from_element;
    T* out = to + static_cast<std::ptrdiff_t>(e) * to_element;
    for (std::size_t i = 0; i < count; ++i, in += from_line, out += to_line) {
      out[0] = in[0];
      if (shape.unit == 2) out[1] = in[1];
    }
  }
}

}  // namespace

template <class T>
axis_pass<T>::axis_pass(line_transform<T> lines, dimension axis, std::vector<dimension> besides)
    : lines_(std::move(lines)), axis_(axis), outer_(std::move(besides)) {
  join(outer_);
  if (!outer_.empty()) {
    last_ = outer_.back();
    outer_.pop_back();
  }
  for (const dimension& one : outer_) rows_ *= one.size;
  way_ = choose_way();
  const std::size_t beside = pleat::detail::fourier::lanes<T>();
  width_ = way_ == way::in_place ? 1 : beside;
  if (way_ == way::columns)
    panel_columns_ =
        panel_columns_of<T>(columns_->size, std::max(axis_.from, axis_.to), last_.size);
}

template <class T> auto axis_pass<T>::choose_way() -> way {
  const auto in_unit = static_cast<std::ptrdiff_t>(lines_.in().unit);
  const auto out_unit = static_cast<std::ptrdiff_t>(lines_.out().unit);
  const bool one = lines_.in().elements == 1 && lines_.out().elements == 1;
  if (one || (axis_.from == in_unit && axis_.to == out_unit)) return way::in_place;
  const auto apart = [](std::ptrdiff_t step) { return step > 0 && step % 2 == 0; };
  const bool beside = last_.size > 1 && last_.from == 2 && last_.to == 2;
  if (lines_.complex() == nullptr || !beside || !apart(axis_.from) || !apart(axis_.to))
    return way::copied;
  const std::size_t n = lines_.in().elements;
  if (n > longest_columns) return way::copied;
  columns_ = plane_plan_for<T>(n);
  return columns_->one ? way::copied : way::columns;
}

template <class T> std::size_t axis_pass<T>::lines_before(std::size_t g) const noexcept {
  const std::size_t in_row = groups_in_row();
  return g / in_row * last_.size + std::min(g % in_row * width_, last_.size);
}

template <class T> std::size_t axis_pass<T>::numbers() const noexcept {
  switch (way_) {
    case way::in_place:
      break;
    case way::columns:
      return panel_numbers() +
             whole_lines<T>(work_numbers<T>(columns_->columns.work_rows(), columns_->lanes));
    case way::copied:
      return whole_lines<T>(width_ * lines_.in().numbers()) +
             whole_lines<T>(width_ * lines_.out().numbers()) + lines_.numbers();
  }
  return lines_.numbers();
}

template <class T>
void axis_pass<T>::run(const T* from, T* to, interval<> mine, T* memory) const noexcept {
  switch (way_) {
    case way::in_place:
      return run_in_place(from, to, mine, memory);
    case way::columns:
      return run_columns(from, to, mine, memory);
    case way::copied:
      return run_copied(from, to, mine, memory);
  }
}

template <class T>
template <class F>
void axis_pass<T>::for_each_row(interval<> groups, const F& f) const {
  const std::size_t in_row = groups_in_row();
  for (std::size_t g = groups.first; g < groups.last;) {
    const std::size_t row = g / in_row;
    if (row % 64 == 0 && given_up()) return;
    const std::size_t end = std::min(groups.last, (row + 1) * in_row);
    const std::size_t first = (g - row * in_row) * width_;
    const std::size_t last = std::min((end - row * in_row) * width_, last_.size);
    auto from = static_cast<std::ptrdiff_t>(first) * last_.from;
    auto to = static_cast<std::ptrdiff_t>(first) * last_.to;
    std::size_t rest = row;
    for (std::size_t i = outer_.size(); i-- > 0; rest /= outer_[i].size) {
      const auto at = static_cast<std::ptrdiff_t>(rest % outer_[i].size);
      from += at * outer_[i].from;
      to += at * outer_[i].to;
    }
    f(from, to, last - first);
    g = end;
  }
}

template <class T>
void axis_pass<T>::run_in_place(const T* from, T* to, interval<> mine, T* memory) const noexcept {
  auto transform = lines_.in_memory(memory);
  const bool follow = last_.from == static_cast<std::ptrdiff_t>(lines_.in().numbers()) &&
                      last_.to == static_cast<std::ptrdiff_t>(lines_.out().numbers());
  for_each_row(mine, [&](std::ptrdiff_t a, std::ptrdiff_t b, std::size_t count) {
    if (follow) {
      transform(from + a, to + b, count);
      return;
    }
    for (std::size_t i = 0; i < count; ++i, a += last_.from, b += last_.to)
      transform(from + a, to + b, 1);
  });
}

template <class T>
void axis_pass<T>::run_columns(const T* from, T* to, interval<> mine, T* memory) const noexcept {
  const mode<T> how = lines_.complex()->how;
  const auto from_stride = static_cast<std::size_t>(axis_.from / 2);
  const auto to_stride = static_cast<std::size_t>(axis_.to / 2);
  const std::size_t n = columns_->size;
  T* const work = memory + panel_numbers();
  const auto transform = [&](const column_block<const T>& in, const column_block<T>& out) {
    for (std::size_t i = 0; i < in.count; i += width_)
      transform_columns<T>(columns_->columns, in.part(i, width_), how, work, out.part(i, width_));
  };
  for_each_row(mine, [&](std::ptrdiff_t a, std::ptrdiff_t b, std::size_t count) {
    const column_block<const T> in{from + a, from_stride, count};
    const column_block<T> out{to + b, to_stride, count};
    if (panel_columns_ == 0) {
      transform(in, out);
      return;
    }
    for (std::size_t i = 0; i < count && !given_up(); i += panel_columns_) {
      const column_block<const T> some = in.part(i, panel_columns_);
      const column_block<T> panel{memory, panel_columns_, some.count};
      copy_rows<T>(some, n, false, panel);
      transform({memory, panel_columns_, some.count}, panel);
      copy_rows<T>({memory, panel_columns_, some.count}, n, false, out.part(i, panel_columns_));
    }
  });
}

template <class T>
void axis_pass<T>::run_copied(const T* from, T* to, interval<> mine, T* memory) const noexcept {
  T* const in = memory;
  T* const out = in + whole_lines<T>(width_ * lines_.in().numbers());
  auto transform = lines_.in_memory(out + whole_lines<T>(width_ * lines_.out().numbers()));
  const auto in_line = static_cast<std::ptrdiff_t>(lines_.in().numbers());
  const auto out_line = static_cast<std::ptrdiff_t>(lines_.out().numbers());
  const auto in_unit = static_cast<std::ptrdiff_t>(lines_.in().unit);
  const auto out_unit = static_cast<std::ptrdiff_t>(lines_.out().unit);
  for_each_row(mine, [&](std::ptrdiff_t a, std::ptrdiff_t b, std::size_t count) {
    for (std::size_t i = 0; i < count && !given_up(); i += width_) {
      const std::size_t some = std::min(width_, count - i);
      const auto at = static_cast<std::ptrdiff_t>(i);
      copy_lines(from + a + at * last_.from, last_.from, axis_.from, in, in_line, in_unit, some,
                 lines_.in());
      transform(in, out, some);
      copy_lines<T>(out, out_line, out_unit, to + b + at * last_.to, last_.to, axis_.to, some,
                    lines_.out());
    }
  });
}

template class axis_pass<float>;
template class axis_pass<double>;

}  // namespace pleat::detail::fourier
