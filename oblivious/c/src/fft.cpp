// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <optional>
#include <span>
#include <variant>

#include <pleat/oblivious/fft_options.hpp>
#include <pleat/oblivious/fft_plan.hpp>

#include "arrays/fft_numbers.hpp"
#include "call.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

namespace {

using pleat::fft_direction, pleat::fft_norm, pleat::arrays::fft_kind, pleat::arrays::number_type;
using sizes = std::vector<std::size_t>;

[[nodiscard]] fft_direction direction_of(const char* caller, int direction) {
  return choice(caller, "direction", direction, fft_direction::inverse);
}
[[nodiscard]] fft_norm norm_of(const char* caller, int norm) {
  return choice(caller, "norm", norm, fft_norm::none);
}
[[nodiscard]] number_type real_type_of(const char* caller, pleat_type type) {
  return number_type_of(caller, type, {PLEAT_F32, PLEAT_F64}, "PLEAT_F32 or PLEAT_F64");
}
[[nodiscard]] number_type complex_type_of(const char* caller, pleat_type type) {
  return number_type_of(caller, type, {PLEAT_C64, PLEAT_C128}, "PLEAT_C64 or PLEAT_C128");
}

fft_kind kind_of(const char* caller, int direction) {
  return direction_of(caller, direction) == fft_direction::forward ? fft_kind::fft : fft_kind::ifft;
}

/// Array and axes of a call, once they have been checked; the library checks the axes' values.
struct axes_of_array {
  sizes shape, axes;
  std::size_t last;  ///< axis of real numbers

  axes_of_array(const char* caller, std::size_t dimensions, const size_t* given_shape,
                std::size_t axis_count, const size_t* given_axes, const void* in, void* out) {
    if (dimensions == 0 || dimensions > 8)
      throw pleat::usage_error(std::string(caller) + ": an array of " + std::to_string(dimensions) +
                               " dimensions; it takes 1 to 8");
    shape = counts_of(caller, "shape", given_shape, dimensions);
    if (axis_count > dimensions)
      throw pleat::usage_error(std::string(caller) + ": more axes than dimensions");
    axes = counts_of(caller, "axes", given_axes, axis_count);
    for (std::size_t i = 0; axis_count == 0 && i < dimensions; ++i) axes.push_back(i);
    last = axes.back();
    if (last >= dimensions)
      throw pleat::usage_error(std::string(caller) + ": there is no axis " + std::to_string(last));
    std::size_t numbers = 1;
    for (const std::size_t size : shape) numbers = product_of(caller, {numbers, size}, 16);
    require(caller, "in", in, numbers, 1);
    require(caller, "out", out, numbers, 1);
  }
  /// Shape of the spectrum of real numbers.
  [[nodiscard]] sizes spectrum() const {
    sizes half = shape;
    if (half[last] != 0) half[last] = half[last] / 2 + 1;
    return half;
  }
  [[nodiscard]] bool empty() const {
    for (const std::size_t size : shape)
      if (size == 0) return true;
    return false;
  }
};

/// Transforms `batch` rows; n: numbers of a row, or real ones.
void transform_rows(pleat_machine* on, const char* caller, fft_kind kind, const number_type& from,
                    const number_type& to, int norm, std::size_t batch, std::size_t n,
                    const void* in, void* out) {
  const fft_norm how = norm_of(caller, norm);
  const std::size_t numbers = product_of(caller, {batch, n}, 32);
  require(caller, "in", in, numbers, 1);
  require(caller, "out", out, numbers, 1);
  if (numbers == 0) return;
  const std::size_t from_row = kind == fft_kind::irfft ? n / 2 + 1 : n;
  const std::size_t to_row = kind == fft_kind::rfft ? n / 2 + 1 : n;
  const auto here = machine_of(on);
  pleat::arrays::transform_numbers(caller, *here, kind, array_of(from, {batch, from_row}, in),
                                   array_of(to, {batch, to_row}, out), {.norm = how});
}

/// Transforms an array; its shape is that of its numbers, or real ones.
void transform_axes(pleat_machine* on, const char* caller, fft_kind kind, const number_type& from,
                    const number_type& to, int norm, const axes_of_array& array, const void* in,
                    void* out) {
  const fft_norm how = norm_of(caller, norm);
  if (array.empty()) return;
  const bool there = kind == fft_kind::rfft, back = kind == fft_kind::irfft;
  const auto size_of_last = there || back ? std::optional(array.shape[array.last]) : std::nullopt;
  const auto here = machine_of(on);
  pleat::arrays::transform_along(caller, *here, kind,
                                 array_of(from, back ? array.spectrum() : array.shape, in),
                                 array_of(to, there ? array.spectrum() : array.shape, out),
                                 array.axes, size_of_last, {.norm = how});
}

void transform_trigonometric(pleat_machine* on, const char* caller, bool sines, pleat_type type,
                             int kind, int direction, int norm, const axes_of_array& array,
                             const void* in, void* out) {
  const number_type number = real_type_of(caller, type);
  if (kind < 1 || kind > 4)
    throw pleat::usage_error(std::string(caller) + ": kind is " + std::to_string(kind) +
                             "; take one of 1 to 4");
  const pleat::trigonometric_options options{.type = static_cast<unsigned>(kind),
                                             .direction = direction_of(caller, direction),
                                             .norm = norm_of(caller, norm),
                                             .axes = array.axes};
  if (array.empty()) return;
  const auto here = machine_of(on);
  pleat::arrays::transform_trigonometric(caller, *here, sines, array_of(number, array.shape, in),
                                         array_of(number, array.shape, out), options);
}

}  // namespace

int pleat_fft(pleat_machine* on, pleat_type type, int direction, int norm, size_t batch, size_t n,
              const void* in, void* out) {
  return guarded("pleat_fft", {batch, n}, [&](const char* caller) {
    const number_type complex = complex_type_of(caller, type);
    transform_rows(on, caller, kind_of(caller, direction), complex, complex, norm, batch, n, in,
                   out);
  });
}

int pleat_rfft(pleat_machine* on, pleat_type type, int norm, size_t batch, size_t n, const void* in,
               void* out) {
  return guarded("pleat_rfft", {batch, n}, [&](const char* caller) {
    const number_type real = real_type_of(caller, type);
    transform_rows(on, caller, fft_kind::rfft, real, complex_of(real), norm, batch, n, in, out);
  });
}

int pleat_irfft(pleat_machine* on, pleat_type type, int norm, size_t batch, size_t n,
                const void* in, void* out) {
  return guarded("pleat_irfft", {batch, n}, [&](const char* caller) {
    const number_type real = real_type_of(caller, type);
    transform_rows(on, caller, fft_kind::irfft, complex_of(real), real, norm, batch, n, in, out);
  });
}

int pleat_fftn(pleat_machine* on, pleat_type type, int direction, int norm, size_t dimensions,
               const size_t* shape, size_t axis_count, const size_t* axes, const void* in,
               void* out) {
  return guarded("pleat_fftn", {dimensions, axis_count}, [&](const char* caller) {
    const number_type complex = complex_type_of(caller, type);
    transform_axes(on, caller, kind_of(caller, direction), complex, complex, norm,
                   {caller, dimensions, shape, axis_count, axes, in, out}, in, out);
  });
}

int pleat_rfftn(pleat_machine* on, pleat_type type, int norm, size_t dimensions,
                const size_t* shape, size_t axis_count, const size_t* axes, const void* in,
                void* out) {
  return guarded("pleat_rfftn", {dimensions, axis_count}, [&](const char* caller) {
    const number_type real = real_type_of(caller, type);
    transform_axes(on, caller, fft_kind::rfft, real, complex_of(real), norm,
                   {caller, dimensions, shape, axis_count, axes, in, out}, in, out);
  });
}

int pleat_irfftn(pleat_machine* on, pleat_type type, int norm, size_t dimensions,
                 const size_t* shape, size_t axis_count, const size_t* axes, const void* in,
                 void* out) {
  return guarded("pleat_irfftn", {dimensions, axis_count}, [&](const char* caller) {
    const number_type real = real_type_of(caller, type);
    transform_axes(on, caller, fft_kind::irfft, complex_of(real), real, norm,
                   {caller, dimensions, shape, axis_count, axes, in, out}, in, out);
  });
}

int pleat_dct(pleat_machine* on, pleat_type type, int kind, int direction, int norm,
              size_t dimensions, const size_t* shape, size_t axis_count, const size_t* axes,
              const void* in, void* out) {
  return guarded("pleat_dct", {dimensions, axis_count}, [&](const char* caller) {
    const axes_of_array array(caller, dimensions, shape, axis_count, axes, in, out);
    transform_trigonometric(on, caller, false, type, kind, direction, norm, array, in, out);
  });
}

int pleat_dst(pleat_machine* on, pleat_type type, int kind, int direction, int norm,
              size_t dimensions, const size_t* shape, size_t axis_count, const size_t* axes,
              const void* in, void* out) {
  return guarded("pleat_dst", {dimensions, axis_count}, [&](const char* caller) {
    const axes_of_array array(caller, dimensions, shape, axis_count, axes, in, out);
    transform_trigonometric(on, caller, true, type, kind, direction, norm, array, in, out);
  });
}

namespace {

template <class T> struct complex_plan {
  pleat::fft_plan<T> transform;

  void operator()(const void* in, void* out) {
    using complex = std::complex<T>;
    transform(std::span(static_cast<const complex*>(in), transform.size()),
              std::span(static_cast<complex*>(out), transform.size()));
  }
};

template <class T> struct real_plan {
  pleat::rfft_plan<T> transform;
  bool inverse;

  void operator()(const void* in, void* out) {
    using complex = std::complex<T>;
    const std::size_t real = transform.real_size(), spectrum = transform.spectrum_size();
    if (inverse)
      transform.inverse(std::span(static_cast<const complex*>(in), spectrum),
                        std::span(static_cast<T*>(out), real));
    else
      transform(std::span(static_cast<const T*>(in), real),
                std::span(static_cast<complex*>(out), spectrum));
  }
};

}  // namespace

struct pleat_plan {
  std::variant<complex_plan<float>, complex_plan<double>, real_plan<float>, real_plan<double>> of;
};

int pleat_plan_create(pleat_type type, int direction, int norm, size_t batch, size_t n,
                      pleat_plan** plan) {
  return guarded("pleat_plan_create", {batch, n}, [&](const char* caller) {
    require(caller, "plan", plan);
    *plan = nullptr;
    const auto number = number_type_of(caller, type, {PLEAT_F32, PLEAT_F64, PLEAT_C64, PLEAT_C128},
                                       "PLEAT_F32, PLEAT_F64, PLEAT_C64 or PLEAT_C128");
    const fft_direction where = direction_of(caller, direction);
    const fft_norm how = norm_of(caller, norm);
    static_cast<void>(product_of(caller, {batch, n}, 32));
    const auto make = [&]<class T>() {
      const bool inverse = where == fft_direction::inverse;
      *plan = number.kind == pleat::arrays::number_kind::complex
                  ? new pleat_plan{complex_plan<T>{pleat::fft_plan<T>(n, {where, how, batch})}}
                  : new pleat_plan{real_plan<T>{pleat::rfft_plan<T>(n, {how, batch}), inverse}};
    };
    if (type == PLEAT_F32 || type == PLEAT_C64)
      make.template operator()<float>();
    else
      make.template operator()<double>();
  });
}

int pleat_plan_execute(pleat_plan* plan, const void* in, void* out) {
  return guarded("pleat_plan_execute", {}, [&](const char* caller) {
    require(caller, "plan", plan);
    require(caller, "in", in);
    require(caller, "out", out);
    std::visit([&](auto& of) { of(in, out); }, plan->of);
  });
}

void pleat_plan_destroy(pleat_plan* plan) { delete plan; }
