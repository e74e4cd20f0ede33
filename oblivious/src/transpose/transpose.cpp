// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/rectangle.hpp>
#include <pleat/oblivious/detail/transpose/run.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
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

  task<> operator()(vp& me) {
    run(me.rank());
    const interval<> mine = rows_of(me.rank(), in_);
    for (std::size_t r = 0; r < vps_; ++r)
      me.count_crossing(r, mine.size() * rows_of(r, out_).size());
    co_await me.sync(0);
  }
  /// The rows of the result that are VP q's; in place, both of each pair of tiles of which one lies
  /// in its rows above the diagonal.
  void run(std::size_t q) const {
    switch (in_.element_bytes) {
      case 1:
        return run_with<1>(q);
      case 2:
        return run_with<2>(q);
      case 4:
        return run_with<4>(q);
      case 8:
        return run_with<8>(q);
      case 16:
        return run_with<16>(q);
      default:
        return run_with<0>(q);
    }
  }

 private:
  [[nodiscard]] interval<> rows_of(std::size_t q, const window& of) const noexcept {
    return interval<>{0, of.rows}.share(q, vps_);
  }
  [[nodiscard]] static std::byte* at(const window& of, std::size_t i, std::size_t j) noexcept {
    return of.data + (i * of.stride + j) * of.element_bytes;
  }
  template <std::size_t Bytes> void run_with(std::size_t q) const {
    // Tiles as wide as a line, two of which fit any first-level cache.
    const std::size_t side = std::clamp<std::size_t>(64 / in_.element_bytes, 4, 32);
    const std::size_t bytes = in_.element_bytes;
    if (in_place_) {
      // Bands in turns: those near the top have most above the diagonal.
      const std::size_t bands = (in_.rows + side - 1) / side;
      for (std::size_t band = q; band < bands; band += vps_) {
        const interval<> rows{band * side, std::min((band + 1) * side, in_.rows)};
        for_each_tile({rows, {rows.first, in_.columns}}, side, [&](const rectangle& tile) {
          for (std::size_t i = tile.rows.first; i < tile.rows.last; ++i)
            for (std::size_t j = std::max(tile.columns.first, i + 1); j < tile.columns.last; ++j)
              element<Bytes>::swap(at(in_, i, j), at(in_, j, i), bytes);
        });
      }
      return;
    }
    for_each_tile({rows_of(q, out_), {0, out_.columns}}, side, [&](const rectangle& tile) {
      for (std::size_t j = tile.columns.first; j < tile.columns.last; ++j)
        for (std::size_t i = tile.rows.first; i < tile.rows.last; ++i)
          element<Bytes>::copy(at(in_, j, i), at(out_, i, j), bytes);
    });
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
  return run_program(
      on, working, [&program] { program.run(0); }, [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::transposition
