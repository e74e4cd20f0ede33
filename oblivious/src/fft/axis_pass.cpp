// SPDX-License-Identifier: Apache-2.0
#include "fft/axis_pass.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/detail/watch.hpp>

namespace pleat::detail::fourier {
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
  if (way_ == way::columns) {
    panel_columns_ =
        panel_columns_of<T>(columns_->size, std::max(axis_.from, axis_.to), last_.size);
  }
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
  const ends<T> how = lines_.complex()->how;
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
