// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/detail/call_machine.hpp>

#include "fft/program.hpp"

namespace pleat::detail::fourier {

template <class T>
void copy_rows(const column_block<const T>& from, std::size_t rows, bool stream,
               const column_block<T>& to) {
  const std::size_t count = 2 * from.count;
  for (std::size_t i = 0; i < rows; ++i) {
    const T* const row = from.data + 2 * i * from.stride;
    T* const there = to.data + 2 * i * to.stride;
    if (stream)
      copy_bytes_past_caches(row, count * sizeof(T), there);
    else
      std::copy(row, row + count, there);
  }
}

template void copy_rows(const column_block<const float>&, std::size_t, bool,
                        const column_block<float>&);
template void copy_rows(const column_block<const double>&, std::size_t, bool,
                        const column_block<double>&);

template <class T>
run_report transform_complex(machine& named, std::span<const std::complex<T>> in,
                             std::span<std::complex<T>> out, const fft_options& options) {
  if (in.size() != out.size())
    throw usage_error("fft: " + std::to_string(in.size()) + " numbers come in, " +
                      std::to_string(out.size()) + " go out; give it ranges of the same size");
  const std::size_t n = size_of_each("fft", in.size(), options.batch);
  const call_machine here(named);
  machine& on = *here;
  const std::size_t vps = fft_vps(on, "fft", in.size_bytes(), options.vps);
  if (in.empty()) return {};
  if (in.data() != out.data() && ranges_overlap(in, out))
    throw usage_error("fft: the ranges overlap; give it the same one twice, or two");
  return run_batch<T>(
      on,
      {plan_for<T>(n), reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(out.data()),
       options.batch, mode_of<T>(options.direction, options.norm, n)},
      vps);
}

template <class A, class B>
run_report transform_reals(machine& named, std::span<const A> in, std::span<B> out,
                           const real_fft_options& options) {
  using T = real_of<A, B>;
  constexpr bool back = is_complex<A>;
  const char* const caller = back ? "irfft" : "rfft";
  std::span<const T> real;
  std::span<const std::complex<T>> spectrum;
  if constexpr (back) {
    real = out;
    spectrum = in;
  } else {
    real = in;
    spectrum = out;
  }
  const std::size_t n = size_of_each(caller, real.size(), options.batch);
  check_real<T>(caller, n, options.batch, real, spectrum);
  const call_machine here(named);
  machine& on = *here;
  const std::size_t vps = fft_vps(on, caller, real.size_bytes(), options.vps);
  if (real.empty()) return {};
  return run_batch(
      on,
      real_batch<T>(
          n, reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(out.data()), options.batch,
          mode_of<T>(back ? fft_direction::inverse : fft_direction::forward, options.norm, n)),
      vps);
}

#define PLEAT_TRANSFORMS(T)                                                                   \
  template decltype(transform_complex<T>) transform_complex<T>;                               \
  template decltype(transform_reals<T, std::complex<T>>) transform_reals<T, std::complex<T>>; \
  template decltype(transform_reals<std::complex<T>, T>) transform_reals<std::complex<T>, T>;
PLEAT_TRANSFORMS(float)
PLEAT_TRANSFORMS(double)
#undef PLEAT_TRANSFORMS

}  // namespace pleat::detail::fourier
