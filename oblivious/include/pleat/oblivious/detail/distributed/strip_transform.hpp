// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/distributed/strip_layout.hpp>
#include <pleat/oblivious/detail/distributed/strip_program.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// Transforms of lines of one size, each by all ranks, in strips:
///
///     strip_transform<T> strips(on, call);
///     if (!strips.ranks_match()) …another way…
///     call.here([&] { strips.take_memory(on, n, [&](arena& in) { … }); });
///     strips(line, from, to, how);                    // for each line
template <class T> class strip_transform {
 public:
  using complex = std::complex<T>;

  strip_transform(machine& on, collective_call& call)
      : call_(call), rank_(on.rank()), vps_(on.threads()), here_(on.vps_here(vps_)) {}

  /// Have all ranks vectors of one length? If not, a tile on one of them is not what it is on
  /// another. Collective: the ranks meet, and one 0-superstep. Throws: what has failed before.
  [[nodiscard]] bool ranks_match() {
    call_.here([] { ready_kernels(); });
    bool match = true;
    const auto lanes = static_cast<std::uint64_t>(fourier::lanes<T>());
    call_.run([&](vp& me, const rank_places& places) -> task<> {
      const bool first = me.rank() == places[rank_].first;
      if (first) tell(me, places, lanes);
      co_await me.sync(0);
      if (!first) co_return;
      for (auto m = me.receive(); m; m = me.receive())
        match = match && m->template get<std::uint64_t>() == lanes;
    });
    return match;
  }

  /// Takes the memory for lines of n numbers, and what lay_out(arena&) asks for. Requires:
  /// strip_layout<T>::divides(n, ranks); a turn at the machine. Throws: std::bad_alloc.
  template <class LayOut> void take_memory(machine& on, std::size_t n, const LayOut& lay_out) {
    layout_.emplace(n, vps_, here_);
    arena::take(on, [&](arena& in) {
      lay_out(in);
      layout_->lay_out(in);
    });
    ready_ = true;
  }

  /// Transforms a line (see strip_program). Collective; requires: ranks_match(). Throws: what has
  /// failed on one of them.
  void operator()(const unit_shares& line, const complex* from, complex* to,
                  const fourier::ends<T>& how) {
    if (!ready_) return call_.meet_again();  // throws
    const strip_program<T> program(*layout_, line, rank_, from, to, how);
    call_.run_again(program);
  }

 private:
  static void tell(vp& me, const rank_places& places, std::uint64_t lanes) {
    for (const rank_range& rank : places) me.send(rank.first, lanes);
  }

  collective_call& call_;
  std::size_t rank_, vps_;
  rank_range here_;
  std::optional<strip_layout<T>> layout_;
  bool ready_ = false;
};

/// Transforms `count` lines of n numbers, in the blocks of all ranks, each by all ranks; blocks are
/// written when all ranks have all results. Returns false, and changes nothing, if the ranks do not
/// match. Requires: strip_layout<T>::divides(n, ranks).
template <class T>
bool transform_strips(machine& on, collective_call& call, std::span<std::complex<T>> block,
                      std::size_t count, std::size_t n, const fourier::ends<T>& how) {
  strip_transform<T> strips(on, call);
  if (!strips.ranks_match()) return false;
  std::optional<machine::turn> scratch;
  std::complex<T>* results = nullptr;
  call.here([&] {
    scratch.emplace(on, machine::use::scratch);
    strips.take_memory(on, n,
                       [&](arena& in) { results = in.array<std::complex<T>>(block.size()); });
  });
  const unit_shares blocks = unit_shares::of_elements(count * n);
  const interval<> mine = blocks.of(on.rank(), on.ranks());
  for (std::size_t line = 0; line < count; ++line) {
    const interval<> all{line * n, (line + 1) * n};
    const std::size_t at = std::clamp(all.first, mine.first, mine.last) - mine.first;
    strips(blocks.only(all), block.data() + at, results + at, how);
  }
  surely_in_parts(on, block.size(), [&](const interval<>& part) {
    std::copy_n(results + part.first, part.size(), block.data() + part.first);
  });
  return true;
}

}  // namespace pleat::detail::distribution
