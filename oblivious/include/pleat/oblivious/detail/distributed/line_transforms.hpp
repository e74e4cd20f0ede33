// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/distributed/chirp_numbers.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/distributed/rank_array.hpp>
#include <pleat/oblivious/detail/distributed/transposition_program.hpp>
#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// Fewer points than this are transformed by one rank: that they fit its cache saves more than
/// other processors could.
inline constexpr std::size_t least_divided_points = 4096;

/// A matrix of rows × columns of about √n, for a transform of n points by all ranks: columns, then
/// rows. Each rank has a share of the columns, one behind the other, then one of the rows.
struct line_matrix {
  std::size_t rows, columns;

  explicit line_matrix(std::size_t n) noexcept
      : rows(fourier::middle_divisor(n)), columns(n / rows) {}

  [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
  [[nodiscard]] unit_shares by_columns() const noexcept {
    return unit_shares::of_rows(columns, rows);
  }
  [[nodiscard]] unit_shares by_rows() const noexcept { return unit_shares::of_rows(rows, columns); }
  /// Has every rank rows? Then none has more than two times its fair share.
  [[nodiscard]] bool divides(std::size_t ranks) const noexcept { return rows >= ranks; }

  /// The matrix for a convolution of at least n numbers: the one that leaves a rank the fewest.
  static line_matrix of_convolution(std::size_t n, std::size_t ranks) {
    const auto most = [ranks](std::size_t size) {
      const line_matrix matrix(size);
      const auto largest = [ranks](std::size_t count) { return (count + ranks - 1) / ranks; };
      return largest(matrix.rows) * matrix.columns + largest(matrix.columns) * matrix.rows;
    };
    const std::vector<std::size_t> sizes = fourier::convolution_sizes(n);
    return line_matrix(*std::ranges::min_element(sizes, {}, most));
  }
};

/// The Fourier transforms of lines of complex numbers that stand one behind the other in blocks
/// over ranks: what one rank does of them.
///
///     whole     each line is one rank's: lines to ranks, transforms, and back to blocks; without
///               the exchanges if blocks hold whole lines
///     divided   each line is all ranks': to columns, transforms, roots of unity, to rows,
///               transforms, to blocks
///     chirp     as divided, but the line has no divisor near √n: a convolution of a size that has
///
/// All members are collective, and throw what fails on any rank; results are then incomplete.
template <class T> class line_transforms {
 public:
  using complex = std::complex<T>;

  line_transforms(machine& on, collective_call& call, bool inverse,
                  std::size_t least_divided = least_divided_points)
      : on_(on),
        call_(call),
        rank_(on.rank()),
        ranks_(on.ranks()),
        inverse_(inverse),
        least_divided_(least_divided) {}

  /// Transforms `count` lines of n numbers, and multiplies them by `scale`. `from` and `to` are the
  /// blocks of this rank, and do not overlap. The last that happens is a run of all ranks, unless
  /// stays_alone(count, ranks): then what fails on a rank is thrown when they meet next.
  void transform(const complex* from, complex* to, std::size_t count, std::size_t n, double scale) {
    const fourier::ends<T> how{inverse_, static_cast<T>(scale), false};
    if (stays_alone(count, ranks_))
      call_.here([&] { transform_rows(from, to, count / ranks_, n, how); });
    else if (count >= ranks_ || n < least_divided_)
      whole(from, to, count, n, how);
    else if (line_matrix(n).divides(ranks_))
      divided(from, to, count, n, how);
    else
      chirp(from, to, count, n, scale);
  }

  /// Do blocks of so many lines consist of whole lines, however long?
  [[nodiscard]] static bool stays_alone(std::size_t count, std::size_t ranks) noexcept {
    return count % ranks == 0;
  }

  /// The blocks of a matrix become those of its transpose.
  void transpose(std::size_t rows, std::size_t columns, const complex* from, complex* to) {
    const unit_shares blocks = unit_shares::of_elements(rows * columns);
    exchange(rows, columns, blocks, blocks, from, to);
  }

 private:
  void exchange(std::size_t rows, std::size_t columns, const unit_shares& from,
                const unit_shares& to, const complex* source, complex* result) {
    const transposition_program<complex> program(rows, columns, from, to, rank_, source, result);
    call_.run(program);
  }
  [[nodiscard]] std::size_t size_here(const unit_shares& shares) const noexcept {
    return shares.of(rank_, ranks_).size();
  }
  /// The rows of this rank, of `length` numbers each.
  [[nodiscard]] interval<> rows_here(const unit_shares& shares) const noexcept {
    return interval<>{0, shares.count}.share(rank_, ranks_);
  }

  // What a rank does alone, inside call_.here.

  void transform_rows(const complex* from, complex* to, std::size_t rows, std::size_t length,
                      const fourier::ends<T>& how) const {
    if (rows == 0) return;
    const std::size_t vps =
        fourier::fft_vps(on_, "fft", rows * length * sizeof(complex), std::nullopt);
    fourier::run_batch<T>(on_,
                          {fourier::plan_for<T>(length), reinterpret_cast<const T*>(from),
                           reinterpret_cast<T*>(to), rows, how},
                          vps);
  }
  /// Each number x of the rows that this rank has becomes f(row, place in it, x).
  template <class F> void change_each(const unit_shares& shares, complex* held, const F& f) const {
    const interval<> rows = rows_here(shares);
    in_parts(on_, rows.size(), [&](const interval<>& part) {
      for (std::size_t i = part.first; i < part.last; ++i) {
        complex* const row = held + i * shares.unit;
        for (std::size_t k = 0; k < shares.unit; ++k) row[k] = f(rows.first + i, k, row[k]);
      }
    });
  }
  static complex times(const complex& x, const fourier::root& w, bool conjugated) noexcept {
    const T re = static_cast<T>(w.re), im = static_cast<T>(conjugated ? -w.im : w.im);
    return {x.real() * re - x.imag() * im, x.real() * im + x.imag() * re};
  }

  void whole(const complex* from, complex* to, std::size_t count, std::size_t n,
             const fourier::ends<T>& how) {
    const unit_shares blocks = unit_shares::of_elements(count * n);
    const unit_shares lines = unit_shares::of_rows(count, n);
    rank_array<complex> mine;
    call_.here([&] { mine.make(on_, size_here(lines)); });
    exchange(1, count * n, blocks, lines, from, mine.data());
    call_.here([&] { transform_rows(mine.data(), mine.data(), rows_here(lines).size(), n, how); });
    exchange(1, count * n, lines, blocks, mine.data(), to);
  }

  /// What of a line this rank's block has.
  struct line_part {
    unit_shares shares;
    std::size_t first;  // of the numbers in the block
  };
  [[nodiscard]] line_part part_of_line(std::size_t line, std::size_t count,
                                       std::size_t n) const noexcept {
    const unit_shares blocks = unit_shares::of_elements(count * n);
    const interval<> block = blocks.of(rank_, ranks_);
    const std::size_t first = std::clamp(line * n, block.first, block.last) - block.first;
    return {blocks.only({line * n, (line + 1) * n}), first};
  }

  /// Columns of `a`, then rows of `b`: the transform of m.size() numbers, of which b has row k,
  /// number l at the place of number k + l · rows.
  struct passes {
    line_matrix matrix;
    fourier::root_table roots;
    rank_array<complex> a, b;
    explicit passes(const line_matrix& m) : matrix(m), roots(m.size()) {}
  };
  void make(std::optional<passes>& p, const line_matrix& matrix) const {
    p.emplace(matrix);
    p->a.make(on_, size_here(matrix.by_columns()));
    p->b.make(on_, size_here(matrix.by_rows()));
  }
  void turn(passes& p, bool inverse) const {
    change_each(p.matrix.by_columns(), p.a.data(),
                [&](std::size_t column, std::size_t k, const complex& x) {
                  return times(x, p.roots(column * k), inverse);
                });
  }

  void divided(const complex* from, complex* to, std::size_t count, std::size_t n,
               const fourier::ends<T>& how) {
    const line_matrix m(n);
    const unit_shares columns = m.by_columns(), rows = m.by_rows();
    std::optional<passes> p;
    call_.here([&] { make(p, m); });
    if (!p) return call_.only_meet();  // throws on all ranks
    for (std::size_t line = 0; line < count; ++line) {
      const line_part part = part_of_line(line, count, n);
      exchange(m.rows, m.columns, part.shares, columns, from + part.first, p->a.data());
      call_.here([&] {
        transform_rows(p->a.data(), p->a.data(), rows_here(columns).size(), m.rows,
                       {inverse_, 1, false});
        turn(*p, inverse_);
      });
      exchange(m.columns, m.rows, columns, rows, p->a.data(), p->b.data());
      call_.here([&] {
        transform_rows(p->b.data(), p->b.data(), rows_here(rows).size(), m.columns, how);
      });
      exchange(m.rows, m.columns, rows, part.shares, p->b.data(), to + part.first);
    }
  }

  void chirp(const complex* from, complex* to, std::size_t count, std::size_t n, double scale) {
    const line_matrix m = line_matrix::of_convolution(2 * n - 1, ranks_);
    const unit_shares columns = m.by_columns(), rows = m.by_rows();
    std::optional<passes> p;
    std::optional<chirp_numbers> chirps;
    rank_array<complex> response;
    call_.here([&] {
      make(p, m);
      chirps.emplace(n, m.size());
      response.make(on_, size_here(rows));
      change_each(columns, p->a.data(), [&](std::size_t j, std::size_t k, const complex&) {
        return times(complex(1), chirps->response(k * m.columns + j), inverse_);
      });
      to_roots(*p);
    });
    if (!p) return call_.only_meet();
    exchange(m.columns, m.rows, columns, rows, p->a.data(), response.data());
    call_.here([&] {
      const double size = static_cast<double>(m.size());
      transform_rows(response.data(), response.data(), rows_here(rows).size(), m.columns,
                     {false, static_cast<T>(scale / size), false});
    });
    const auto times_chirp = [&](std::size_t j, std::size_t k, const complex& x) {
      const std::size_t place = k * m.columns + j;
      return place < n ? times(x, chirps->chirp(place), inverse_) : complex{};
    };
    for (std::size_t line = 0; line < count; ++line) {
      const line_part part = part_of_line(line, count, n);
      exchange(m.rows, m.columns, part.shares, columns, from + part.first, p->a.data());
      call_.here([&] {
        change_each(columns, p->a.data(), times_chirp);
        to_roots(*p);
      });
      exchange(m.columns, m.rows, columns, rows, p->a.data(), p->b.data());
      call_.here([&] { convolve(*p, response.data()); });
      exchange(m.rows, m.columns, rows, columns, p->b.data(), p->a.data());
      call_.here([&] {
        turn(*p, true);
        transform_rows(p->a.data(), p->a.data(), rows_here(columns).size(), m.rows,
                       {true, 1, false});
        change_each(columns, p->a.data(), times_chirp);
      });
      exchange(m.columns, m.rows, columns, part.shares, p->a.data(), to + part.first);
    }
  }
  /// The first half of a forward transform, up to where columns become rows.
  void to_roots(passes& p) const {
    transform_rows(p.a.data(), p.a.data(), rows_here(p.matrix.by_columns()).size(), p.matrix.rows,
                   {false, 1, false});
    turn(p, false);
  }
  /// The second half, the product with the response, and the first half of the inverse.
  void convolve(passes& p, const complex* response) const {
    const unit_shares rows = p.matrix.by_rows();
    const std::size_t count = rows_here(rows).size();
    transform_rows(p.b.data(), p.b.data(), count, p.matrix.columns, {false, 1, false});
    in_parts(on_, count * p.matrix.columns, [&](const interval<>& part) {
      for (std::size_t i = part.first; i < part.last; ++i) {
        const complex& r = response[i];
        p.b.data()[i] = times(p.b.data()[i], {r.real(), r.imag()}, false);
      }
    });
    transform_rows(p.b.data(), p.b.data(), count, p.matrix.columns, {true, 1, false});
  }

  machine& on_;
  collective_call& call_;
  std::size_t rank_, ranks_;
  bool inverse_;
  std::size_t least_divided_;
};

}  // namespace pleat::detail::distribution
