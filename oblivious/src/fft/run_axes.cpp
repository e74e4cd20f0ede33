// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/axes_program.hpp"
#include "fft/program.hpp"

namespace pleat::detail::fourier {

/// Array of real or complex elements, as numbers of type T: one or two to an element.
template <class T> struct numbers_array {
  static constexpr std::size_t most_dimensions = array_view<T>::most_dimensions;

  T* data = nullptr;
  std::size_t unit = 1;  ///< numbers of an element
  std::size_t dimensions = 0;
  std::array<std::size_t, most_dimensions> sizes{};
  std::array<std::ptrdiff_t, most_dimensions> strides{};  ///< numbers from index to index

  /// The elements of a view; what is const in it is only read.
  template <class E> static numbers_array of(const array_view<E>& view) {
    using element = std::remove_const_t<E>;
    numbers_array all{const_cast<T*>(reinterpret_cast<const T*>(view.data)),
                      sizeof(element) / sizeof(T), view.dimensions, view.sizes, view.strides};
    for (auto& stride : all.strides) stride *= static_cast<std::ptrdiff_t>(all.unit);
    return all;
  }
  operator strided_box() const {  // NOLINT(google-explicit-constructor): the same memory
    strided_box box(data, unit * sizeof(T));
    for (std::size_t i = 0; i < dimensions; ++i)
      box.along(sizes[i], strides[i] * static_cast<std::ptrdiff_t>(sizeof(T)));
    return box;
  }
  /// Array of the same sizes, row by row, without memory.
  [[nodiscard]] numbers_array row_major() const {
    numbers_array all = *this;
    auto step = static_cast<std::ptrdiff_t>(unit);
    for (std::size_t i = dimensions; i-- > 0; step *= static_cast<std::ptrdiff_t>(sizes[i]))
      all.strides[i] = step;
    return all;
  }
  [[nodiscard]] std::size_t numbers() const noexcept {
    std::size_t product = unit;
    for (std::size_t i = 0; i < dimensions; ++i) product *= sizes[i];
    return product;
  }
  /// Dimensions, those with the longest strides first.
  [[nodiscard]] std::vector<std::size_t> outermost_first() const {
    std::vector<std::size_t> order(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) order[i] = i;
    std::ranges::sort(order, [this](std::size_t a, std::size_t b) {
      const auto far = std::abs(strides[a]), near = std::abs(strides[b]);
      return far != near ? far > near : a < b;
    });
    return order;
  }
};

/// Copies the elements of one array that have a place in another one, whose other elements become
/// 0: share q of w of the rows. Requires: as many dimensions, of as many numbers an element.
template <class T>
void copy_resized(const numbers_array<T>& from, const numbers_array<T>& to, std::size_t q,
                  std::size_t w) {
  std::vector<std::size_t> order = to.outermost_first();
  if (order.empty()) {
    if (q == 0) std::copy_n(from.data, to.unit, to.data);
    return;
  }
  const std::size_t along = order.back();
  order.pop_back();
  const std::size_t length = to.sizes[along];
  std::size_t rows = 1;
  for (const std::size_t i : order) rows *= to.sizes[i];
  const interval<> mine = interval<>{0, rows}.share(q, w);
  for (std::size_t row = mine.first; row < mine.last; ++row) {
    const T* in = from.data;
    T* out = to.data;
    std::size_t there = std::min(length, from.sizes[along]), rest = row;
    for (std::size_t k = order.size(); k-- > 0; rest /= to.sizes[order[k]]) {
      const std::size_t i = order[k], index = rest % to.sizes[i];
      if (index >= from.sizes[i]) there = 0;
      in += static_cast<std::ptrdiff_t>(index) * from.strides[i];
      out += static_cast<std::ptrdiff_t>(index) * to.strides[i];
    }
    for (std::size_t j = 0; j < length; ++j, out += to.strides[along]) {
      for (std::size_t u = 0; u < to.unit; ++u) out[u] = j < there ? in[u] : T{};
      if (j + 1 < there) in += from.strides[along];
    }
  }
}

namespace {

using axis_list = std::vector<std::size_t>;

/// The axes that are meant. Throws: usage_error if there is none of that number, or one twice.
axis_list axes_of(const std::string& caller, std::size_t dimensions,
                  const std::optional<axis_list>& asked) {
  axis_list all;
  if (!asked) {
    for (std::size_t i = 0; i < dimensions; ++i) all.push_back(i);
    return all;
  }
  for (const std::size_t axis : *asked) {
    if (axis >= dimensions)
      throw usage_error(caller + ": there is no axis " + std::to_string(axis) + " in an array of " +
                        std::to_string(dimensions) + " dimensions; the first one is axis 0");
    if (std::ranges::find(all, axis) != all.end())
      throw usage_error(caller + ": axis " + std::to_string(axis) +
                        " is named twice; name each of them once");
    all.push_back(axis);
  }
  return all;
}

template <class T> std::string text_of(const numbers_array<T>& x) {
  std::string text;
  for (std::size_t i = 0; i < x.dimensions; ++i)
    text += (i == 0 ? "" : " x ") + std::to_string(x.sizes[i]);
  return text.empty() ? "no dimensions" : text;
}

/// Throws: usage_error if other sizes differ than those of the axes; if elements of the output
/// share a place; if the arrays overlap and are not the same.
template <class T>
void check_arrays(const std::string& caller, const numbers_array<T>& in,
                  const numbers_array<T>& out, const axis_list& axes) {
  bool fit = in.dimensions == out.dimensions;
  for (std::size_t i = 0; fit && i < in.dimensions; ++i)
    fit = in.sizes[i] == out.sizes[i] || std::ranges::find(axes, i) != axes.end();
  if (!fit)
    throw usage_error(caller + ": an array of " + text_of(in) + " comes in, one of " +
                      text_of(out) +
                      " goes out; give it sizes that differ along transformed axes only");
  if (out.numbers() == 0) return;
  const auto colliding = strided_box(out).colliding_dimension();
  if (colliding)
    throw usage_error(caller + ": elements of the output share memory; its stride along axis " +
                      std::to_string(*colliding) + " is too short");
  if (!overlap(in, out)) return;
  bool same = in.data == out.data && in.unit == out.unit && in.sizes == out.sizes;
  for (std::size_t i = 0; same && i < in.dimensions; ++i)
    same = in.sizes[i] == 1 || in.strides[i] == out.strides[i];
  if (!same)
    throw usage_error(caller + ": the arrays overlap; give it " +
                      (in.unit == out.unit ? "the same one twice, or two" : "two"));
}

/// Arguments of a call.
template <class T> struct axes_call {
  numbers_array<T> in, out;
  /// The input as the first transform wants it; where sizes differ it is cut, or zeros are added.
  numbers_array<T> resized;
  axis_list axes;
  std::optional<std::size_t> real = {};  ///< of real numbers whose spectrum is complex
  bool back = false;                     ///< to these
};

/// The batch that does it, if there is a single axis whose lines follow one another.
template <class T>
std::optional<batch<T>> batch_of(const axes_call<T>& call, const transformed_axis<T>& axis,
                                 const std::vector<lined_dimension>& besides) {
  const line_shape &in = axis.lines.in(), &out = axis.lines.out();
  auto from = static_cast<std::ptrdiff_t>(in.unit), to = static_cast<std::ptrdiff_t>(out.unit);
  if (in.elements != 1 && axis.along.stride(side::input) != from) return {};
  if (out.elements != 1 && axis.along.stride(side::output) != to) return {};
  from *= static_cast<std::ptrdiff_t>(in.elements);
  to *= static_cast<std::ptrdiff_t>(out.elements);
  std::size_t count = 1;
  for (auto one = besides.rbegin(); one != besides.rend(); ++one) {
    if (one->stride(side::input) != from || one->stride(side::output) != to) return {};
    from *= static_cast<std::ptrdiff_t>(one->size);
    to *= static_cast<std::ptrdiff_t>(one->size);
    count *= one->size;
  }
  return axis.lines.batch_of(call.in.data, call.out.data, count);
}

/// Carries out a call. lines_of(axis, last) is the transform of its lines.
template <class T, class Lines>
run_report run_axes(const char* caller, machine& named, const axes_call<T>& call,
                    const std::optional<std::size_t>& asked, const Lines& lines_of) {
  const call_machine here(named);
  machine& on = *here;
  const std::size_t vps = fft_vps(on, caller, call.out.numbers() * sizeof(T), asked);
  if (call.out.numbers() == 0) return {};
  numbers_array<T> input = call.in, middle = call.out;
  const bool resizes = call.in.sizes != call.resized.sizes;
  const bool apart = call.real && (resizes || (call.back && call.axes.size() > 1));
  numbers_array<T> spare = call.resized.row_major();
  if (resizes) input = apart ? spare : call.out;
  if (apart && call.back) middle = spare;

  // Sizes of a spectrum are those of the complex side.
  const auto& lined = call.back ? call.resized.sizes : call.out.sizes;
  const auto blocked = [](const numbers_array<T>& of, std::size_t i) {
    std::size_t step = 1;
    const axis_list order = of.outermost_first();
    for (auto one = order.rbegin(); *one != i; ++one) step *= of.sizes[*one];
    return blocked_dimension{of.sizes[i], step};
  };
  const auto along = [&](std::size_t i) {
    return lined_dimension{lined[i],
                           {input.strides[i], middle.strides[i], call.out.strides[i]},
                           blocked(call.resized, i),
                           blocked(call.out, i)};
  };
  std::vector<transformed_axis<T>> axes;
  std::vector<lined_dimension> besides;
  axis_list inwards;
  for (const std::size_t i : middle.outermost_first()) {
    if (std::ranges::find(call.axes, i) == call.axes.end()) {
      if (lined[i] != 1) besides.push_back(along(i));
    } else if (i != call.real) {
      inwards.push_back(i);
    }
  }
  if (call.real) inwards.push_back(*call.real);
  if (!call.back) std::ranges::reverse(inwards);
  for (const std::size_t i : inwards)
    axes.push_back({along(i), lines_of(i, axes.size() + 1 == inwards.size())});

  std::optional<axes_program<T>> program;
  if (!axes.empty()) {
    if (axes.size() == 1 && !resizes)
      if (const auto one = batch_of(call, axes.front(), besides)) return run_batch(on, *one, vps);
    program.emplace(std::move(axes), !call.back, std::move(besides), vps);
  }
  const machine::turn mine(on, machine::use::scratch);
  arena::take(on, [&](arena& in) {
    if (apart) spare.data = in.array<T>(spare.numbers());
    if (program) program->allocate(in);
  });
  if (resizes && apart) input.data = spare.data;
  if (apart && call.back) middle.data = spare.data;
  run_report report;
  if (resizes || !program) {
    const auto copy = [&](std::size_t q, std::size_t w) {
      copy_resized(call.in, apart ? spare : call.out, q, w);
    };
    report = run_program(
        on, vps, [&] { copy(0, 1); },
        [&](vp& me) -> task<> {
          copy(me.rank(), me.size());
          co_return;
        });
  }
  if (!program) return report;
  program->use({input.data, middle.data, call.out.data});
  report = run_phases(on, vps, *program);
  if (resizes) report.leave_uncounted("numbers are copied to where zeros are added to them");
  return report;
}

/// The product of what `factor` says of each axis.
template <class Factor> double product_over(const axis_list& axes, const Factor& factor) {
  double product = 1;
  for (const std::size_t i : axes) product *= factor(i);
  return product;
}

/// Throws: usage_error if lines of an axis have no numbers.
template <class T>
void check_lengths(const std::string& caller, const numbers_array<T>& lines,
                   const axis_list& axes) {
  for (const std::size_t i : axes) {
    if (lines.sizes[i] == 0)
      throw usage_error(caller + ": axis " + std::to_string(i) +
                        " has no numbers to transform; leave it out");
  }
}

/// rfftn and irfftn.
template <class T>
run_report transform_reals_along(const char* caller, machine& named, numbers_array<T> in,
                                 numbers_array<T> out, bool back,
                                 const real_fftn_options& options) {
  axes_call<T> call{in, out, in, axes_of(caller, in.dimensions, options.axes), {}, back};
  if (call.axes.empty())
    throw usage_error(std::string(caller) + ": no axes; name the one of the real numbers at least");
  check_arrays(caller, in, out, call.axes);
  const std::size_t last = call.axes.back();
  const std::size_t n = options.size_of_last.value_or((back ? out : in).sizes[last]);
  numbers_array<T> time = back ? out : in;
  for (const std::size_t i : call.axes) time.sizes[i] = i == last ? n : out.sizes[i];
  check_lengths(caller, time, call.axes);
  call.resized.sizes = back ? out.sizes : time.sizes;
  if (back) call.resized.sizes[last] = n / 2 + 1;
  const auto refuse = [&](const char* what, std::size_t has) {
    throw usage_error(std::string(caller) + ": " + std::to_string(n) + " real numbers " + what +
                      ", and the array has " + std::to_string(has) + " along axis " +
                      std::to_string(last));
  };
  if (back && out.sizes[last] != n) refuse("are wanted", out.sizes[last]);
  if (!back && out.sizes[last] != n / 2 + 1)
    refuse("have a spectrum of n/2 + 1 complex ones", out.sizes[last]);
  call.real = last;
  std::erase_if(call.axes, [&](std::size_t i) { return i != last && time.sizes[i] == 1; });
  const fft_direction direction = back ? fft_direction::inverse : fft_direction::forward;
  const double scale = product_over(
      call.axes, [&](std::size_t i) { return scale_of(direction, options.norm, time.sizes[i]); });
  return run_axes(caller, named, call, options.vps, [&](std::size_t i, bool last_one) {
    const mode<T> how{back, last_one ? static_cast<T>(scale) : T{1}, false};
    return i == last ? line_transform<T>::of_reals(n, how)
                     : line_transform<T>::of_complex(out.sizes[i], how);
  });
}

/// fftn and fft2.
template <class T>
run_report transform_complex_axes(const char* caller, machine& named, const numbers_array<T>& in,
                                  const numbers_array<T>& out, const fftn_options& options) {
  axes_call<T> call{in, out, in, axes_of(caller, in.dimensions, options.axes)};
  check_arrays(caller, in, out, call.axes);
  call.resized.sizes = out.sizes;
  // A transform of one number leaves it as it is.
  std::erase_if(call.axes, [&](std::size_t i) { return out.sizes[i] == 1; });
  const double scale = product_over(call.axes, [&](std::size_t i) {
    return scale_of(options.direction, options.norm, out.sizes[i]);
  });
  return run_axes(caller, named, call, options.vps, [&](std::size_t i, bool last) {
    return line_transform<T>::of_complex(
        out.sizes[i],
        {options.direction == fft_direction::inverse, last ? static_cast<T>(scale) : T{1}, false});
  });
}

}  // namespace

template <class T>
run_report transform_axes(const char* caller, machine& named,
                          const array_view<const std::complex<T>>& in,
                          const array_view<std::complex<T>>& out, const fftn_options& options) {
  return transform_complex_axes(caller, named, numbers_array<T>::of(in), numbers_array<T>::of(out),
                                options);
}

template <class T>
run_report transform_plane(machine& named, const strided_view<const std::complex<T>>& in,
                           const strided_view<std::complex<T>>& out, const fft2_options& options) {
  const auto from = numbers_array<T>::of(array_view<const std::complex<T>>(in));
  const auto to = numbers_array<T>::of(array_view<std::complex<T>>(out));
  check_arrays("fft2", from, to, {});
  return transform_complex_axes("fft2", named, from, to,
                                {options.direction, options.norm, {}, options.vps});
}

template <class A, class B>
run_report transform_real_axes(const char* caller, machine& named, const array_view<const A>& in,
                               const array_view<B>& out, const real_fftn_options& options) {
  using numbers = numbers_array<real_of<A, B>>;
  return transform_reals_along(caller, named, numbers::of(in), numbers::of(out), is_complex<A>,
                               options);
}

template <class T>
run_report transform_trigonometric(const char* caller, machine& named, bool sines,
                                   const array_view<const T>& in_view,
                                   const array_view<T>& out_view,
                                   const trigonometric_options& options) {
  const bool inverse = options.direction == fft_direction::inverse;
  if (options.type < 1 || options.type > 4)
    throw usage_error(std::string(caller) + ": there is no type " + std::to_string(options.type) +
                      "; there are 1, 2, 3 and 4");
  const auto in = numbers_array<T>::of(in_view), out = numbers_array<T>::of(out_view);
  axes_call<T> call{in, out, in, axes_of(caller, in.dimensions, options.axes)};
  check_arrays(caller, in, out, call.axes);
  call.resized.sizes = out.sizes;
  trigonometric_kind kind{options.type, sines,
                          options.orthogonalize.value_or(options.norm == fft_norm::orthogonal)};
  if (inverse && (kind.type == 2 || kind.type == 3)) kind.type = 5 - kind.type;
  for (const std::size_t i : call.axes) {
    if (kind.type == 1 && !sines && out.sizes[i] == 1)
      throw usage_error(std::string(caller) + ": type 1 needs two numbers at least, and axis " +
                        std::to_string(i) + " has 1");
  }
  // The transform and its inverse multiply by twice the period of the cosines.
  const auto factor = [&](std::size_t i) {
    const std::size_t n = out.sizes[i];
    return scale_of(options.direction, options.norm,
                    2 * (kind.type != 1 ? n
                         : sines        ? n + 1
                                        : n - 1));
  };
  return run_axes(caller, named, call, options.vps, [&](std::size_t i, bool) {
    return line_transform<T>::of_trigonometric(kind, out.sizes[i], static_cast<T>(factor(i)));
  });
}

#define PLEAT_TRANSFORMS(T)                                                 \
  template decltype(transform_axes<T>) transform_axes<T>;                   \
  template decltype(transform_real_axes<T, std::complex<T>>)                \
      transform_real_axes<T, std::complex<T>>;                              \
  template decltype(transform_real_axes<std::complex<T>, T>)                \
      transform_real_axes<std::complex<T>, T>;                              \
  template decltype(transform_trigonometric<T>) transform_trigonometric<T>; \
  template decltype(transform_plane<T>) transform_plane<T>;
PLEAT_TRANSFORMS(float)
PLEAT_TRANSFORMS(double)
#undef PLEAT_TRANSFORMS

}  // namespace pleat::detail::fourier
