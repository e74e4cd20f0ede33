// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/transpose.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::transposition {
namespace {

using matmul::window;

/// Element of a size that is known when this is compiled, or not.
template <std::size_t Bytes> struct element {
  static void copy(const std::byte* from, std::byte* to, std::size_t) {
    std::memcpy(to, from, Bytes);
  }
  static void swap(std::byte* a, std::byte* b, std::size_t) {
    std::byte kept[Bytes];
    std::memcpy(kept, a, Bytes);
    std::memcpy(a, b, Bytes);
    std::memcpy(b, kept, Bytes);
  }
};
template <> struct element<0> {
  static void copy(const std::byte* from, std::byte* to, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  static void swap(std::byte* a, std::byte* b, std::size_t bytes) {
    std::swap_ranges(a, a + bytes, b);
  }
};

/// f(rectangle), for the parts of one that are at most `side` long: halved along the longer side,
/// so that whatever a cache holds, a part of that size is done before the next.
template <class F> void for_each_tile(const rectangle& all, std::size_t side, const F& f) {
  if (all.empty()) return;
  if (all.rows.size() <= side && all.columns.size() <= side) {
    f(all);
    return;
  }
  const bool by_rows = all.rows.size() >= all.columns.size();
  const interval<>& cut = by_rows ? all.rows : all.columns;
  // At whole tiles, whose lines are not shared with their neighbours.
  const std::size_t half = (cut.size() / 2 + side - 1) / side * side;
  const interval<> first{cut.first, cut.first + half}, second{cut.first + half, cut.last};
  for_each_tile(by_rows ? rectangle{first, all.columns} : rectangle{all.rows, first}, side, f);
  for_each_tile(by_rows ? rectangle{second, all.columns} : rectangle{all.rows, second}, side, f);
}

class transposition_program {
 public:
  transposition_program(const window& in, const window& out, std::size_t vps)
      : in_(in), out_(out), in_place_(in.data == out.data), vps_(vps) {}

  static bool has_phase(std::size_t i) noexcept { return i == 0; }
  /// Makes the rows of the result that are a VP's. In place a VP swaps half of the elements of its
  /// rows with those of each other VP.
  void phase(std::size_t /*i*/, vp* me) const {
    switch (in_.element_bytes) {
      case 1:
        return run_with<1>(me);
      case 2:
        return run_with<2>(me);
      case 4:
        return run_with<4>(me);
      case 8:
        return run_with<8>(me);
      case 16:
        return run_with<16>(me);
      default:
        return run_with<0>(me);
    }
  }

 private:
  [[nodiscard]] interval<> rows_of(std::size_t q, const window& of) const noexcept {
    return interval<>{0, of.rows}.share(q, vps_);
  }
  [[nodiscard]] static std::byte* at(const window& of, std::size_t i, std::size_t j) noexcept {
    return of.data + (i * of.stride + j) * of.element_bytes;
  }
  /// Side of tiles: as wide as a line, two of which fit any first-level cache.
  [[nodiscard]] std::size_t side() const noexcept {
    return std::clamp<std::size_t>(64 / in_.element_bytes, 4, 32);
  }

  template <std::size_t Bytes> void run_with(vp* me) const {
    const std::size_t q = rank_of(me);
    if (!in_place_) return copy<Bytes>(me, rows_of(q, out_));
    const interval<> mine = rows_of(q, in_);
    swap<Bytes>(mine, mine);
    for (std::size_t r = 0; r < vps_; ++r) {
      const interval<> other = rows_of(r, in_);
      if (r < q)
        swap_with<Bytes>(*me, r, other.share(1, 2), mine);
      else if (r > q)
        swap_with<Bytes>(*me, r, mine.share(0, 2), other);
    }
  }
  /// Makes rows of the result of columns of the input, and counts what lies with other VPs.
  template <std::size_t Bytes> void copy(vp* me, const interval<>& rows) const {
    if (counted(me))
      for (std::size_t r = 0; r < vps_; ++r)
        count_reading(*me, r, rows.size() * rows_of(r, in_).size());
    const std::size_t bytes = in_.element_bytes;
    for_each_tile({rows, {0, out_.columns}}, side(), [&](const rectangle& tile) {
      for (std::size_t j = tile.columns.first; j < tile.columns.last; ++j)
        for (std::size_t i = tile.rows.first; i < tile.rows.last; ++i)
          element<Bytes>::copy(at(in_, j, i), at(out_, i, j), bytes);
    });
  }
  /// Swaps elements of which one of each pair lies with VP r, and counts these.
  template <std::size_t Bytes>
  void swap_with(vp& me, std::size_t r, const interval<>& rows, const interval<>& columns) const {
    swap<Bytes>(rows, columns);
    count_reading(me, r, rows.size() * columns.size());
    me.count_crossing(r, rows.size() * columns.size());
  }
  /// Swaps the elements above the diagonal that are there with those below it.
  template <std::size_t Bytes> void swap(const interval<>& rows, const interval<>& columns) const {
    const std::size_t bytes = in_.element_bytes;
    for (std::size_t first = rows.first; first < rows.last; first += side()) {
      const interval<> band{first, std::min(first + side(), rows.last)};
      const interval<> above{std::max(first, columns.first), columns.last};
      for_each_tile({band, above}, side(), [&](const rectangle& tile) {
        for (std::size_t i = tile.rows.first; i < tile.rows.last; ++i)
          for (std::size_t j = std::max(tile.columns.first, i + 1); j < tile.columns.last; ++j)
            element<Bytes>::swap(at(in_, i, j), at(in_, j, i), bytes);
      });
    }
  }

  window in_, out_;
  bool in_place_;
  std::size_t vps_;
};

}  // namespace

run_report transpose(machine& named, const window& in, const window& out,
                     const std::optional<std::size_t>& vps) {
  matmul::check_view("transpose", "the input", in);
  matmul::check_view("transpose", "the output", out);
  if (in.rows != out.columns || in.columns != out.rows)
    throw usage_error("transpose: a matrix of " + matmul::sizes(in.rows, in.columns) +
                      " becomes one of " + matmul::sizes(in.columns, in.rows) + ", not " +
                      matmul::sizes(out.rows, out.columns));
  const bool same = in.data == out.data && in.rows == out.rows && in.stride == out.stride;
  if (!same && overlap(in, out))
    throw usage_error("transpose: the matrices overlap; give it the same square twice, or two");
  const call_machine here(named);
  machine& on = *here;
  const double bytes = static_cast<double>(in.rows) * static_cast<double>(in.columns) *
                       static_cast<double>(in.element_bytes);
  const std::size_t working =
      choose_vps("transpose", vps, bytes / static_cast<double>(least_bytes_per_vp), on.threads());
  if (in.empty()) return {};
  transposition_program program(in, out, working);
  return run_phases(on, working, program);
}

}  // namespace pleat::detail::transposition
