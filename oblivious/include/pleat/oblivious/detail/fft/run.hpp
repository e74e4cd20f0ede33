// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/program.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/vp.hpp>

// The bodies of fft, rfft and irfft: what they check, and how they are run.
namespace pleat::detail::fourier {

/// Requires numbers in the batch.
template <class T> run_report run_batch(machine& on, const batch<T>& work, std::size_t vps) {
  const machine::turn mine(on, machine::use::scratch);
  fft_program<T> program(work, vps);
  program.use(reinterpret_cast<T*>(on.scratch(program.numbers() * sizeof(T)).data()));
  return run_program(
      on, vps, [&program] { program.transform_share(0); },
      [&program](vp& me) { return program(me); });
}

/// fft: of `in`, which may be `out`.
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
       options.batch, ends_of<T>(options.direction, options.norm, n)},
      vps);
}

/// `count` transforms of n real numbers; `from` and `to` are real or pairs, as the direction wants.
/// Requires n ≥ 1.
template <class T>
batch<T> real_batch(std::size_t n, const T* from, T* to, std::size_t count, ends<T> how) {
  if (n % 2 == 1) return {plan_for<T>(n), from, to, count, how, signal::real_alone};
  const auto pairs = real_plan_for<T>(n);
  return {pairs->half, from, to, count, how, signal::real_pairs, pairs};
}

/// Throws: usage_error if `count` times n real numbers and their spectrum do not fit, or share
/// memory.
template <class T>
void check_real(const char* caller, std::size_t n, std::size_t count, std::span<const T> real,
                std::span<const std::complex<T>> spectrum) {
  const std::size_t wanted = n == 0 ? 0 : count * (n / 2 + 1);
  if (spectrum.size() != wanted)
    throw usage_error(std::string(caller) + ": " + std::to_string(count) + " transforms of " +
                      std::to_string(n) + " real numbers have " + std::to_string(wanted) +
                      " complex ones, not " + std::to_string(spectrum.size()) +
                      "; give it a range of n/2 + 1 of them for each");
  if (ranges_overlap(real, spectrum))
    throw usage_error(std::string(caller) +
                      ": the numbers and their spectrum overlap; give it two ranges");
}

/// rfft.
template <class T>
run_report transform_real(machine& named, std::span<const T> real,
                          std::span<std::complex<T>> spectrum, const real_fft_options& options) {
  const std::size_t n = size_of_each("rfft", real.size(), options.batch);
  check_real<T>("rfft", n, options.batch, real, spectrum);
  const call_machine here(named);
  machine& on = *here;
  const std::size_t vps = fft_vps(on, "rfft", real.size_bytes(), options.vps);
  if (real.empty()) return {};
  const ends<T> how = ends_of<T>(fft_direction::forward, options.norm, n);
  auto* const to = reinterpret_cast<T*>(spectrum.data());
  return run_batch(on, real_batch<T>(n, real.data(), to, options.batch, how), vps);
}
/// irfft.
template <class T>
run_report transform_back(machine& named, std::span<const std::complex<T>> spectrum,
                          std::span<T> real, const real_fft_options& options) {
  const std::size_t n = size_of_each("irfft", real.size(), options.batch);
  check_real<T>("irfft", n, options.batch, real, spectrum);
  const call_machine here(named);
  machine& on = *here;
  const std::size_t vps = fft_vps(on, "irfft", real.size_bytes(), options.vps);
  if (real.empty()) return {};
  const ends<T> how = ends_of<T>(fft_direction::inverse, options.norm, n);
  const auto* const from = reinterpret_cast<const T*>(spectrum.data());
  return run_batch(on, real_batch<T>(n, from, real.data(), options.batch, how), vps);
}

}  // namespace pleat::detail::fourier
