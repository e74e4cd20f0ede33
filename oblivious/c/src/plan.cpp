// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <memory>
#include <span>
#include <variant>

#include <pleat/oblivious/fft_plan.hpp>

#include "fourier.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

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
    const std::size_t real = transform.real_size();
    const std::size_t spectrum = transform.spectrum_size();
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
    const pleat::fft_direction where = direction_of(caller, direction);
    const pleat::fft_norm how = norm_of(caller, norm);
    static_cast<void>(product_of(caller, {batch, n}, 32));
    const auto make = [&]<class T>() {
      const bool inverse = where == pleat::fft_direction::inverse;
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
