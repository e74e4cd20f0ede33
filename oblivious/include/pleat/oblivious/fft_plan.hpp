// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat {

using fft_plan_options = distributed_fft_options;
using rfft_plan_options = distributed_rfft_options;

/// Frees the tables that transforms have kept for later calls of the same sizes: up to 256 MiB for
/// each precision and kind. Running calls keep theirs. Thread safety: any thread may call it.
PLEAT_API void release_fft_plans();

namespace detail::fourier {

/// Memory of a plan, aligned to a cache line.
template <class T> class plan_memory {
 public:
  explicit plan_memory(std::size_t numbers)
      : lines_(fourier::whole_lines<T>(numbers) / line::size) {}
  [[nodiscard]] T* data() noexcept { return lines_.empty() ? nullptr : lines_[0].numbers.data(); }

 private:
  struct alignas(line_bytes) line {
    static constexpr std::size_t size = line_bytes / sizeof(T);
    std::array<T, size> numbers;
  };
  std::vector<line> lines_;
};

}  // namespace detail::fourier

/// Plan of transforms of n complex numbers by the calling thread, without a machine. Use it for
/// short transforms, which cost less than looking up the tables of a size and waiting for a
/// machine. T is float or double.
///
/// ```cpp
/// pleat::fft_plan<double> transform(1000);
/// transform(signal, spectrum);                    // again and again
/// ```
///
/// Requires, guarantees: as fft, for `in` and `out`. Cost: O(n log n) a call, on one processor;
/// nothing is allocated, no lock is taken. Memory: as fft, for each plan and each copy of one.
/// Throws: usage_error (0 transforms, or an invalid PLEAT_KERNELS, at construction; a call with
/// ranges of another size, or with ranges that overlap but are not the same); std::bad_alloc
/// (construction). Thread safety: one thread at a time may use a plan.
template <detail::fourier::real_number T> class fft_plan {
 public:
  /// Makes a plan for `options.batch` consecutive transforms of n numbers each, n ≥ 1.
  explicit fft_plan(std::size_t n, const fft_plan_options& options = {})
      : work_(made(n, options)),
        single_(options.batch == 1 ? detail::fourier::single_transform_of<T>(n) : nullptr),
        memory_(detail::fourier::sequence_numbers(work_)) {}

  /// Number of complex numbers that a call transforms, n · batch.
  [[nodiscard]] std::size_t size() const noexcept { return work_.points() * work_.count; }

  void operator()(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) {
    if (in.size() != size() || out.size() != size())
      throw usage_error("fft_plan: it is for " + std::to_string(size()) + " numbers, not for " +
                        std::to_string(in.size()) + " and " + std::to_string(out.size()));
    if (in.data() != out.data() && detail::ranges_overlap(in, out))
      throw usage_error("fft_plan: the ranges overlap; give it the same one twice, or two");
    work_.from = reinterpret_cast<const T*>(in.data());
    work_.to = reinterpret_cast<T*>(out.data());
    if (single_ != nullptr) return single_(work_.from, work_.how, work_.to);
    detail::fourier::transform_sequences<T>(work_, {0, work_.count}, memory_.data());
  }
  /// Transforms in place.
  void operator()(std::span<std::complex<T>> numbers) { (*this)(numbers, numbers); }

 private:
  static detail::fourier::batch<T> made(std::size_t n, const fft_plan_options& options) {
    if (n == 0 || options.batch == 0)
      throw usage_error("fft_plan: no transforms, or of no numbers; choose at least 1 of both");
    detail::ready_kernels();
    return {detail::fourier::plan_for<T>(n), nullptr, nullptr, options.batch,
            detail::fourier::mode_of<T>(options.direction, options.norm, n)};
  }

  detail::fourier::batch<T> work_;
  detail::fourier::single_transform<T> single_;  // or null
  detail::fourier::plan_memory<T> memory_;
};

/// Plan of transforms of n real numbers, as rfft and irfft compute them: the first n/2 + 1 results.
///
/// ```cpp
/// pleat::rfft_plan<double> transform(480);
/// transform(samples, spectrum);
/// transform.inverse(spectrum, samples);
/// ```
template <detail::fourier::real_number T> class rfft_plan {
 public:
  explicit rfft_plan(std::size_t n, const rfft_plan_options& options = {})
      : n_(n),
        there_(made(n, options, fft_direction::forward)),
        back_(made(n, options, fft_direction::inverse)),
        single_(options.batch == 1 ? detail::fourier::single_real_transform_of<T>(n) : nullptr),
        memory_(std::max(detail::fourier::sequence_numbers(there_),
                         detail::fourier::sequence_numbers(back_))) {}

  /// Number of real numbers of a call, n · batch, and of complex ones, (n/2 + 1) · batch.
  [[nodiscard]] std::size_t real_size() const noexcept { return n_ * there_.count; }
  [[nodiscard]] std::size_t spectrum_size() const noexcept { return (n_ / 2 + 1) * there_.count; }

  void operator()(std::span<const T> real, std::span<std::complex<T>> spectrum) {
    check(real, spectrum);
    there_.from = real.data();
    there_.to = reinterpret_cast<T*>(spectrum.data());
    if (single_ != nullptr) return single_(there_.from, there_.how, there_.to);
    detail::fourier::transform_sequences<T>(there_, {0, there_.count}, memory_.data());
  }
  void inverse(std::span<const std::complex<T>> spectrum, std::span<T> real) {
    check(real, spectrum);
    back_.from = reinterpret_cast<const T*>(spectrum.data());
    back_.to = real.data();
    detail::fourier::transform_sequences<T>(back_, {0, back_.count}, memory_.data());
  }

 private:
  static detail::fourier::batch<T> made(std::size_t n, const rfft_plan_options& options,
                                        fft_direction direction) {
    if (n == 0 || options.batch == 0)
      throw usage_error("rfft_plan: no transforms, or of no numbers; choose at least 1 of both");
    detail::ready_kernels();
    return detail::fourier::real_batch<T>(n, nullptr, nullptr, options.batch,
                                          detail::fourier::mode_of<T>(direction, options.norm, n));
  }
  void check(std::span<const T> real, std::span<const std::complex<T>> spectrum) const {
    if (real.size() != real_size())
      throw usage_error("rfft_plan: it is for " + std::to_string(real_size()) +
                        " real numbers, not for " + std::to_string(real.size()));
    detail::fourier::check_real<T>("rfft_plan", n_, there_.count, real, spectrum);
  }

  std::size_t n_;
  detail::fourier::batch<T> there_, back_;
  detail::fourier::single_transform<T> single_;  // there; or null
  detail::fourier::plan_memory<T> memory_;
};

}  // namespace pleat
