// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rearrange_blocks.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placed_memory.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/line.hpp"
#include "fft/line_over_ranks.hpp"
#include "fft/program.hpp"
#include "fft/transposition_program.hpp"

// Runs that a call of a transform of distributed data consists of:
//
//     own lines    blocks hold whole lines: each rank transforms its own, alone
//     whole        each line is one rank's: lines to ranks, transforms, results to blocks
//     strips       each line is all VPs': transform_line
namespace pleat::detail::fourier {
namespace {

using distribution::collective_call, distribution::rank_places, distribution::transposition_program;
using distribution::unit_shares;

/// Memory of one rank for so many T's; made while the rank is alone.
template <class T> class rank_array {
 public:
  void make(machine& on, std::size_t count) { memory_ = placed_memory(on, count * sizeof(T)); }
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.bytes().data()); }

 private:
  placed_memory memory_;
};

/// Tells whether all ranks have vectors of one length. If not, a tile on one of them is not what it
/// is on another. Collective: the ranks meet, and one 0-superstep. Throws: what has failed before.
template <class T> bool vectors_match(collective_call& call) {
  call.here([] { ready_kernels(); });
  const std::vector<std::size_t> all = distribution::values_of_ranks(call, lanes<T>());
  return std::ranges::count(all, lanes<T>()) == std::ssize(all);
}

/// A VP's part in transforms of all lines, in strips.
template <class T>
task<> transform_in_strips(vp& me, const rank_places& places, const rank_lines<T>& work,
                           const rank_strips<T>& with, std::size_t rank) {
  if (with.cut().is_chirp()) co_await with.make_chirp(me);
  const pass_memory<T> memory = with.passes(me.rank());
  for (std::size_t i = 0; i < work.count; ++i) {
    if (i != 0) co_await me.sync(0);  // until then what I have lent is read
    line_over_ranks<T> line(work, with, places, rank, i, me.rank());
    co_await transform_line<T>(me, with.cut(), memory, line, work.how);
  }
}

/// Transforms of lines over ranks: what one rank does of them. All members are collective, and
/// throw what fails on any rank.
template <class T> class lines_over_ranks {
 public:
  lines_over_ranks(machine& on, collective_call& call, const rank_lines<T>& work,
                   std::size_t least_divided = least_divided_points)
      : on_(on),
        call_(call),
        rank_(on.rank()),
        ranks_(on.ranks()),
        work_(work),
        least_divided_(least_divided) {}

  /// The blocks at work.from and work.to do not overlap. What fails on a rank in own lines is
  /// thrown when the ranks meet next.
  run_report transform() {
    if (divides_lines())
      if (std::optional<run_report> done = by_strips(nullptr)) return *std::move(done);
    run_report done;
    if (stays_alone())
      call_.here([&] { done = transform_here(work_.from, work_.to, work_.count / ranks_); });
    else
      whole();
    return done;
  }
  /// Complex numbers in their block, which is written when all ranks have all of their results, or
  /// when nothing can fail any more.
  run_report transform_in_place(std::span<std::complex<T>> block) {
    T* const to = reinterpret_cast<T*>(block.data());
    work_.from = to;
    if (ranks_ == 1) {
      run_report done;
      call_.here([&] { done = transform_here(to, to, work_.count); });
      call_.only_meet();
      return done;
    }
    if (divides_lines())
      if (std::optional<run_report> done = by_strips(to)) return *std::move(done);
    const std::size_t lines = work_.count / ranks_;
    if (stays_alone() && lines >= on_.vps_here(on_.threads()).size()) {
      own_lines(to, lines);
      return {};
    }
    rank_array<T> results;
    call_.here([&] { results.make(on_, 2 * block.size()); });
    work_.to = results.data();
    if (stays_alone()) {
      call_.here([&] { transform_here(to, work_.to, lines); });
      call_.only_meet();
    } else {
      whole();
    }
    copy(work_.to, 2 * block.size(), to);
    return {};
  }
  /// The matrix of rows × columns in the blocks at work.from becomes its transpose.
  void transpose(std::size_t rows, std::size_t columns) const {
    const unit_shares blocks = unit_shares::of_elements(rows * columns);
    exchange(2, rows, columns, blocks, blocks, work_.from, work_.to);
  }
  void copy(const T* from, std::size_t numbers, T* to) const {
    distribution::in_parts_or_alone(on_, numbers, [&](const interval<>& part) {
      std::copy_n(from + part.first, part.size(), to + part.first);
    });
  }

 private:
  using side = typename rank_lines<T>::side;

  /// Tells whether blocks consist of whole lines.
  [[nodiscard]] bool stays_alone() const noexcept { return work_.count % ranks_ == 0; }
  [[nodiscard]] bool divides_lines() const noexcept {
    return work_.count < ranks_ && work_.n >= least_divided_;
  }

  run_report transform_here(const T* from, T* to, std::size_t lines) const {
    if (lines == 0) return {};
    const batch<T> mine = work_.is_real()
                              ? real_batch<T>(work_.n, from, to, lines, work_.how)
                              : batch<T>{plan_for<T>(work_.n), from, to, lines, work_.how};
    return run_batch(on_, mine, vps_for(lines));
  }
  [[nodiscard]] std::size_t vps_for(std::size_t lines) const {
    const std::size_t bytes = lines * work_.n * work_.time().unit * sizeof(T);
    return fft_vps(on_, "fft", bytes, std::nullopt);
  }

  /// Lines that are whole on their ranks, in place, each by one worker. All that can fail is done
  /// before the ranks meet, so that blocks are what they were if it fails on one of them; then each
  /// share of the lines is transformed once, by this thread if there is no worker for it.
  void own_lines(T* numbers, std::size_t lines) const {
    std::optional<fft_program<T>> program;
    std::optional<machine::turn> scratch;
    std::vector<char> done;  // [share]; each is written by the VP that transforms it
    call_.here([&] {
      ready_kernels();
      done.assign(std::min(vps_for(lines), lines), 0);
      program.emplace(batch<T>{plan_for<T>(work_.n), numbers, numbers, lines, work_.how},
                      done.size());
      scratch.emplace(on_, machine::use::scratch);
      arena::take(on_, [&program](arena& in) { program->lay_out(in); });
    });
    call_.only_meet();
    const auto transform_share = [&](std::size_t i) {
      program->transform_share(i);
      done[i] = 1;
    };
    try {
      const machine::rank_turn here(on_);
      if (done.size() > 1) {
        on_.run(done.size(), [&](vp& me) -> task<> {
          transform_share(me.rank());
          co_return;
        });
      }
    } catch (const error&) {
      // no worker: below
    } catch (const std::bad_alloc&) {
      // no memory for a run: below
    }
    for (std::size_t i = 0; i < done.size(); ++i)
      if (done[i] == 0) transform_share(i);
  }

  void whole() const {
    const side in = work_.in(), out = work_.out();
    const std::size_t lines = interval<>{0, work_.count}.share(rank_, ranks_).size();
    rank_array<T> mine, made;
    call_.here([&] {
      mine.make(on_, lines * in.length * in.unit);
      if (work_.is_real()) made.make(on_, lines * out.length * out.unit);
    });
    T* const results = work_.is_real() ? made.data() : mine.data();
    const auto blocks = [&](const side& s) {
      return unit_shares::of_elements(work_.count * s.length);
    };
    const auto rows = [&](const side& s) { return unit_shares::of_rows(work_.count, s.length); };
    exchange(in.unit, 1, work_.count * in.length, blocks(in), rows(in), work_.from, mine.data());
    call_.here([&] { transform_here(mine.data(), results, lines); });
    exchange(out.unit, 1, work_.count * out.length, rows(out), blocks(out), results, work_.to);
  }
  /// Elements of so many numbers.
  void exchange(std::size_t unit, std::size_t rows, std::size_t columns, const unit_shares& from,
                const unit_shares& to, const T* source, T* result) const {
    const auto run = [&]<class Element>(const Element* at, Element* there) {
      const transposition_program<Element> program(rows, columns, from, to, rank_, at, there);
      call_.run(program);
    };
    if (unit == 2)
      run(reinterpret_cast<const std::complex<T>*>(source),
          reinterpret_cast<std::complex<T>*>(result));
    else
      run(source, result);
  }

  /// Returns nothing, and changes nothing, if vectors do not match. `block`: null, or where results
  /// go in the end, which are in memory of their own until all ranks have theirs.
  std::optional<run_report> by_strips(T* block) {
    if (!vectors_match<T>(call_)) return std::nullopt;
    std::optional<machine::turn> scratch;
    std::optional<rank_strips<T>> with;
    rank_lines<T> work = work_;
    const side out = work.out();
    const std::size_t numbers =
        out.unit * unit_shares::of_elements(work.count * out.length).of(rank_, ranks_).size();
    const std::size_t vps = on_.threads();  // of all ranks; inside call_.here those of this one
    const rank_range mine = on_.vps_here(vps);
    bool ready = false;
    call_.here([&] {
      scratch.emplace(on_, machine::use::scratch);
      with.emplace(work.points(), work.signal, vps, mine);
      arena::take(on_, [&](arena& in) {
        if (block != nullptr) work.to = in.array<T>(numbers);
        with->lay_out(in);
      });
      ready = true;
    });
    if (!ready) {
      call_.meet_again();  // throws
      return run_report();
    }
    run_report done = call_.run_again([&](vp& me, const rank_places& places) {
      return transform_in_strips<T>(me, places, work, *with, rank_);
    });
    if (block != nullptr) copy(work.to, numbers, block);
    return done;
  }

  machine& on_;
  collective_call& call_;
  std::size_t rank_, ranks_;
  rank_lines<T> work_;
  std::size_t least_divided_;
};

/// Report of a call in which ranks only meet.
run_report nothing(collective_call& call) {
  call.only_meet();
  return {};
}

}  // namespace

const char* name_of(rank_call what, fft_norm norm) noexcept {
  constexpr const char* names[][4] = {
      {"fft", "fft forward", "fft orthogonal", "fft none"},
      {"inverse fft", "inverse fft forward", "inverse fft orthogonal", "inverse fft none"},
      {"fft2", "fft2 forward", "fft2 orthogonal", "fft2 none"},
      {"inverse fft2", "inverse fft2 forward", "inverse fft2 orthogonal", "inverse fft2 none"},
      {"rfft", "rfft forward", "rfft orthogonal", "rfft none"},
      {"irfft", "irfft forward", "irfft orthogonal", "irfft none"}};
  return names[static_cast<std::size_t>(what)][static_cast<std::size_t>(norm)];
}

template <class T>
run_report transform_over_ranks(machine& on, collective_call& call,
                                std::span<std::complex<T>> block, std::size_t all,
                                const distributed_fft_options& options, std::size_t least_divided) {
  std::size_t n = 0;
  call.check([&] { n = size_of_each("fft", all, options.batch); });
  if (n == 0) return nothing(call);
  return lines_over_ranks<T>(on, call,
                             {signal::complex, n, options.batch,
                              mode_of<T>(options.direction, options.norm, n), nullptr, nullptr},
                             least_divided)
      .transform_in_place(block);
}

template <class T>
void transform_plane_over_ranks(machine& on, collective_call& call,
                                std::span<std::complex<T>> block, std::size_t all, std::size_t rows,
                                const distributed_fft2_options& options) {
  std::size_t columns = 0;
  const bool alone = on.ranks() == 1;
  call.check([&] {
    if (rows == 0 ? all != 0 : all % rows != 0)
      throw usage_error("fft2: " + std::to_string(all) + " numbers are no matrix of " +
                        std::to_string(rows) + " rows; choose rows to divide the size");
    columns = rows == 0 ? 0 : all / rows;
  });
  call.here([&] {
    const strided_view<std::complex<T>> matrix(block.data(), rows, columns, columns);
    if (alone) transform_plane<T>(on, matrix, matrix, {options.direction, options.norm, {}});
  });
  if (alone || columns == 0) return call.only_meet();
  const std::size_t numbers = 2 * block.size();
  rank_array<T> turned, results;
  call.here([&] {
    turned.make(on, numbers);
    results.make(on, numbers);
  });
  T* const data = reinterpret_cast<T*>(block.data());
  const mode<T> how = mode_of<T>(options.direction, options.norm, all);
  const auto lines = [&](std::size_t count, const mode<T>& each, const T* from, T* to) {
    return lines_over_ranks<T>(on, call, {signal::complex, all / count, count, each, from, to});
  };
  // Rows, then columns: as lines of the matrix and of its transpose.
  lines(rows, {how.inverse, 1, false}, data, turned.data()).transform();
  lines(rows, how, turned.data(), results.data()).transpose(rows, columns);
  lines(columns, how, results.data(), turned.data()).transform();
  lines(columns, how, turned.data(), results.data()).transpose(columns, rows);
  lines(rows, how, data, data).copy(results.data(), numbers, data);
}

template <class T>
run_report transform_reals_over_ranks(machine& on, collective_call& call, fft_direction direction,
                                      std::size_t real, std::size_t spectrum, const T* from, T* to,
                                      const distributed_rfft_options& options,
                                      std::size_t least_divided) {
  std::size_t n = 0;
  call.check([&] {
    const char* const caller = direction == fft_direction::forward ? "rfft" : "irfft";
    n = size_of_each(caller, real, options.batch);
    check_spectrum(caller, n, options.batch, spectrum, "distributed data");
  });
  if (n == 0) return nothing(call);
  const signal kind = n % 2 == 0 ? signal::real_pairs : signal::real_alone;
  lines_over_ranks<T> lines(
      on, call, {kind, n, options.batch, mode_of<T>(direction, options.norm, n), from, to},
      least_divided);
  run_report done = lines.transform();
  if (options.batch % on.ranks() == 0) call.only_meet();
  return done;
}

#define PLEAT_TRANSFORMS(T)                                                       \
  template decltype(transform_over_ranks<T>) transform_over_ranks<T>;             \
  template decltype(transform_plane_over_ranks<T>) transform_plane_over_ranks<T>; \
  template decltype(transform_reals_over_ranks<T>) transform_reals_over_ranks<T>;
PLEAT_TRANSFORMS(float)
PLEAT_TRANSFORMS(double)
#undef PLEAT_TRANSFORMS

}  // namespace pleat::detail::fourier
