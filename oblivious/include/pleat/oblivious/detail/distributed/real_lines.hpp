// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/line_memory.hpp>
#include <pleat/oblivious/detail/distributed/line_transforms.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/distributed/range_program.hpp>
#include <pleat/oblivious/detail/distributed/rank_array.hpp>
#include <pleat/oblivious/detail/distributed/real_folds.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// Transforms of lines of n real numbers, in blocks over ranks, and back from the n/2 + 1 numbers
/// of their spectra: what one rank does of them.
///
///     whole     each line is one rank's: lines to ranks, transforms, spectra to blocks; without
///     the
///               exchanges if blocks hold whole lines
///     even      pairs of numbers to blocks, their transform by all ranks, and a number and its
///               mirror image become two of the spectrum
///     odd       the transform of complex numbers by all ranks, of which half is the spectrum
///
/// All members are collective, and throw what fails on any rank. `real` and `spectrum`: the blocks
/// of this rank; one is read, the other written.
template <class T> class real_lines {
 public:
  using complex = std::complex<T>;

  real_lines(machine& on, collective_call& call, std::size_t count, std::size_t n,
             const real_fft_options& each, std::size_t least_divided = least_divided_points)
      : on_(on),
        call_(call),
        rank_(on.rank()),
        ranks_(on.ranks()),
        count_(count),
        n_(n),
        each_(each),
        least_divided_(least_divided) {}

  void forward(std::span<const T> real, std::span<complex> spectrum) {
    if (count_ % ranks_ == 0) {
      call_.here([&] { forward_here(real, spectrum); });
      call_.only_meet();
    } else if (count_ >= ranks_ || n_ < least_divided_) {
      rank_array<T> mine;
      rank_array<complex> made;
      const interval<> lines = lines_here();
      const std::size_t numbers = lines.size() * n_, results = lines.size() * spectrum_size();
      call_.here([&] {
        mine.make(on_, numbers);
        made.make(on_, results);
      });
      move(unit_shares::of_elements(count_ * n_), unit_shares::of_rows(count_, n_), real.data(),
           mine.data());
      call_.here([&] {
        forward_here({mine.data(), numbers}, std::span<complex>(made.data(), results));
      });
      move(unit_shares::of_rows(count_, spectrum_size()),
           unit_shares::of_elements(count_ * spectrum_size()), made.data(), spectrum.data());
    } else if (n_ % 2 == 0) {
      even_forward(real.data(), spectrum.data());
    } else {
      odd_forward(real.data(), spectrum.data());
    }
  }
  void back(std::span<const complex> spectrum, std::span<T> real) {
    if (count_ % ranks_ == 0) {
      call_.here([&] { back_here(spectrum, real); });
      call_.only_meet();
    } else if (count_ >= ranks_ || n_ < least_divided_) {
      rank_array<complex> mine;
      rank_array<T> made;
      const interval<> lines = lines_here();
      const std::size_t numbers = lines.size() * spectrum_size(), results = lines.size() * n_;
      call_.here([&] {
        mine.make(on_, numbers);
        made.make(on_, results);
      });
      move(unit_shares::of_elements(count_ * spectrum_size()),
           unit_shares::of_rows(count_, spectrum_size()), spectrum.data(), mine.data());
      call_.here([&] { back_here({mine.data(), numbers}, std::span<T>(made.data(), results)); });
      move(unit_shares::of_rows(count_, n_), unit_shares::of_elements(count_ * n_), made.data(),
           real.data());
    } else if (n_ % 2 == 0) {
      even_back(spectrum.data(), real.data());
    } else {
      odd_back(spectrum.data(), real.data());
    }
  }

 private:
  [[nodiscard]] std::size_t spectrum_size() const noexcept { return n_ / 2 + 1; }
  [[nodiscard]] interval<> lines_here() const noexcept {
    return interval<>{0, count_}.share(rank_, ranks_);
  }
  [[nodiscard]] double scale(fft_direction direction) const noexcept {
    return fourier::scale_of(direction, each_.norm, n_);
  }
  void forward_here(std::span<const T> real, std::span<complex> spectrum) const {
    if (real.empty()) return;
    fourier::transform_real<T>(on_, real, spectrum, {each_.norm, real.size() / n_, {}});
  }
  void back_here(std::span<const complex> spectrum, std::span<T> real) const {
    if (real.empty()) return;
    fourier::transform_back<T>(on_, spectrum, real, {each_.norm, real.size() / n_, {}});
  }

  /// A line of `length` numbers: which of it the blocks have, and where this rank's begins.
  struct line_part {
    unit_shares shares;
    std::size_t first;
  };
  [[nodiscard]] line_part part_of(std::size_t line, std::size_t length) const noexcept {
    const unit_shares blocks = unit_shares::of_elements(count_ * length);
    const interval<> block = blocks.of(rank_, ranks_);
    return {blocks.only({line * length, (line + 1) * length}),
            std::clamp(line * length, block.first, block.last) - block.first};
  }

  template <class E, class Wanted, class Put>
  void exchange(const unit_shares& from, const unit_shares& to, const E* source,
                const Wanted& wanted, const Put& put) {
    const range_program<E, Wanted, Put> program(from, to, rank_, source, wanted, put);
    call_.run(program);
  }
  /// The same elements in other shares: f(number, element) for each, where it is to be.
  template <class E, class F>
  void move_each(const unit_shares& from, const unit_shares& to, const E* source, const F& f) {
    const std::size_t first = to.of(rank_, ranks_).first;
    exchange(
        from, to, source,
        [](const interval<>& share) {
          return std::array{share, interval<>{}};
        },
        [&](const interval<>&, const auto& come) {
          for (const auto& piece : come[0]) f(piece.at.first - first, piece.data, piece.at.size());
        });
  }
  template <class E>
  void move(const unit_shares& from, const unit_shares& to, const E* source, E* result) {
    move_each(from, to, source, [result](std::size_t at, const E* data, std::size_t count) {
      std::copy_n(data, count, result + at);
    });
  }

  /// Pairs of real numbers, as the ranks transform them.
  [[nodiscard]] unit_shares pairs() const noexcept { return unit_shares::of_rows(n_ / 2, 2); }
  /// Are the blocks of real numbers those of pairs, on all ranks?
  [[nodiscard]] bool pairs_are_whole() const noexcept {
    return count_ == 1 && (n_ / 2) % ranks_ == 0;
  }

  void even_forward(const T* real, complex* spectrum) {
    line_memory<T> line(on_, call_, n_ / 2, least_divided_);
    std::optional<even_fold<T>> fold;
    call_.here([&] { fold.emplace(n_); });
    for (std::size_t i = 0; i < count_; ++i) {
      const auto* points = reinterpret_cast<const complex*>(real);
      if (!pairs_are_whole()) {
        const line_part from = part_of(i, n_);
        move(from.shares, pairs(), real + from.first, reinterpret_cast<T*>(line.points()));
        points = line.points();
      }
      line.transform(points, line.results(), false, scale(fft_direction::forward));
      to_spectrum(line.blocks(), line.results(), *fold, i, spectrum);
    }
  }
  void odd_forward(const T* real, complex* spectrum) {
    line_memory<T> line(on_, call_, n_, least_divided_);
    const odd_fold<T> fold(n_);
    for (std::size_t i = 0; i < count_; ++i) {
      const line_part from = part_of(i, n_);
      move_each(from.shares, line.blocks(), real + from.first,
                [&](std::size_t at, const T* data, std::size_t count) {
                  std::copy_n(data, count, line.points() + at);
                });
      line.transform(line.points(), line.results(), false, scale(fft_direction::forward));
      to_spectrum(line.blocks(), line.results(), fold, i, spectrum);
    }
  }
  template <class Fold>
  void to_spectrum(const unit_shares& blocks, const complex* numbers, const Fold& fold,
                   std::size_t line, complex* spectrum) {
    const line_part to = part_of(line, spectrum_size());
    const std::size_t first = to.shares.of(rank_, ranks_).first;
    exchange(
        blocks, to.shares, numbers,
        [&](const interval<>& share) { return fold.wanted_forward(share); },
        [&](const interval<>& share, const complex_ranges<T>& come) {
          fold.forward(share, come, spectrum + to.first + (share.first - first));
        });
  }

  void even_back(const complex* spectrum, T* real) {
    line_memory<T> line(on_, call_, n_ / 2, least_divided_);
    std::optional<even_fold<T>> fold;
    call_.here([&] { fold.emplace(n_); });
    for (std::size_t i = 0; i < count_; ++i) {
      from_spectrum(spectrum, *fold, i, line);
      const bool whole = pairs_are_whole();
      complex* const results = whole ? reinterpret_cast<complex*>(real) : line.results();
      line.transform(line.points(), results, true, scale(fft_direction::inverse));
      if (whole) continue;
      const line_part to = part_of(i, n_);
      move(pairs(), to.shares, reinterpret_cast<const T*>(results), real + to.first);
    }
  }
  void odd_back(const complex* spectrum, T* real) {
    line_memory<T> line(on_, call_, n_, least_divided_);
    const odd_fold<T> fold(n_);
    for (std::size_t i = 0; i < count_; ++i) {
      from_spectrum(spectrum, fold, i, line);
      line.transform(line.points(), line.results(), true, scale(fft_direction::inverse));
      const line_part to = part_of(i, n_);
      move_each(line.blocks(), to.shares, static_cast<const complex*>(line.results()),
                [&](std::size_t at, const complex* data, std::size_t count) {
                  T* const out = real + to.first + at;
                  for (std::size_t j = 0; j < count; ++j) out[j] = data[j].real();
                });
    }
  }
  template <class Fold>
  void from_spectrum(const complex* spectrum, const Fold& fold, std::size_t line,
                     const line_memory<T>& to) {
    const line_part from = part_of(line, spectrum_size());
    const std::size_t first = to.blocks().of(rank_, ranks_).first;
    exchange(
        from.shares, to.blocks(), spectrum + from.first,
        [&](const interval<>& share) { return fold.wanted_back(share); },
        [&](const interval<>& share, const complex_ranges<T>& come) {
          fold.back(share, come, to.points() + (share.first - first));
        });
  }

  machine& on_;
  collective_call& call_;
  std::size_t rank_, ranks_, count_, n_;
  real_fft_options each_;
  std::size_t least_divided_;
};

}  // namespace pleat::detail::distribution
