// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Calls that all ranks of a machine make together, and the runs that carry them out: one VP for
// each worker of all ranks.
namespace pleat::detail::distribution {

/// Header of a collective call, which all ranks compare before anything else happens.
struct call_words {
  char name[24] = {};
  std::uint64_t elements = 0;
  std::uint64_t element_bytes = 0;
  std::uint64_t other_bytes = 0;  // of a second array's elements, or 0
  std::uint64_t parts = 1;        // into which the call divides the elements
  std::uint64_t rank = 0;
  std::uint64_t first_vp = 0;
  std::uint64_t vps = 0;
};

/// Words that must be the same on all ranks besides a call's name and elements; unused words are 0.
using agreed_words = std::array<std::uint64_t, 16>;

/// One rank's part in a call. It has a turn at the machine.
///
///     check, here    what this rank does alone; what is thrown there all ranks throw when they
///                    meet
///     run            they meet, and go on together
///     here, run_again, …
///
/// All ranks make the same runs. If the call ends on one of them by an exception that others do not
/// know of, as for want of memory between two runs, its destructor makes the next run in its place
/// and ends it with an error, so that no rank waits for it. Behind the last run nothing may fail.
class PLEAT_API collective_call {
 public:
  collective_call(machine& on, const char* name, std::size_t elements, std::size_t element_bytes,
                  std::size_t other_bytes = 0, std::size_t parts = 1);
  /// Begins the call, and check(right), see below.
  template <std::invocable Right>
  collective_call(machine& on, const char* name, std::size_t elements, std::size_t element_bytes,
                  std::size_t other_bytes, std::size_t parts, const Right& right)
      : collective_call(on, name, elements, element_bytes, other_bytes, parts) {
    check(right);
  }
  ~collective_call();
  collective_call(const collective_call&) = delete;
  collective_call& operator=(const collective_call&) = delete;

  /// right() throws what is wrong with the arguments of this rank. That ends the call on all ranks,
  /// as soon as they meet.
  template <class Right> void check(const Right& right) {
    if (failure_) return;
    try {
      right();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Does this rank's own work, on its workers: an exception ends the call as in check.
  template <class Work> void here(const Work& work) {
    if (failure_) return;
    try {
      const machine::rank_turn mine(on_);
      work();
    } catch (const vp_failed& failed) {
      failure_ = failed.cause();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Tells whether there is no other rank, so that no run is needed: the array's own function does
  /// what the call is to do (own). Throws what has failed before, if so.
  [[nodiscard]] bool alone() const;
  /// Calls function() in this rank's turn at the machine. Requires: alone().
  template <class Function> decltype(auto) own(const Function& function) {
    const machine::rank_turn mine(on_);
    return function();
  }

  [[nodiscard]] std::size_t rank() const noexcept { return words_.rank; }
  /// The number of VPs that run() has on this rank.
  [[nodiscard]] std::size_t vps() const noexcept { return words_.vps; }

  /// The first step of the program of each VP: one 0-superstep, after which all VPs know that all
  /// ranks make this call, and which VPs they have.
  /// Throws: usage_error if they do not; what has failed on this rank before.
  task<rank_places> meet(vp& me);

  /// Runs program(me, places) on a VP for each worker of all ranks. Throws what one of them throws,
  /// on all ranks.
  template <class Program> run_report run(Program&& program) {
    return together([this, &program](vp& me) -> task<> {
      const rank_places places = co_await meet(me);
      co_await program(me, places);
    });
  }
  /// Makes a later run of the same call, in the same places: nothing is compared. Throws also what
  /// has failed here on one of them since.
  template <class Program> run_report run_again(const Program& program) {
    return together([this, &program](vp& me) -> task<> {
      if (failure_ && me.rank() == words_.first_vp) std::rethrow_exception(failure_);
      co_await program(me, places_);
    });
  }
  /// Later runs have `vps` VPs instead of one for each worker. Returns where they are. Requires: at
  /// least as many as there are workers, the same on all ranks, which have met.
  const rank_places& spread(std::size_t vps) noexcept;
  /// Makes a run in which ranks only learn whether one has failed.
  void meet_again();
  /// Runs the meeting alone. On a machine of one process no run.
  void only_meet();
  /// Runs agree alone, see below.
  void compare(const agreed_words& words, const char* what);

 private:
  /// Whatever a run throws is thrown on all ranks.
  template <class Program> run_report together(const Program& program) {
    set_known(false);
    try {
      return detail::run_program(on_, vps_, program);
    } catch (...) {
      set_known(true);
      throw;
    }
  }
  void set_known(bool known) noexcept;
  void tell_others() noexcept;

  machine& on_;
  machine::turn mine_;
  std::size_t ranks_;
  std::size_t vps_;  // of a run
  call_words words_;
  rank_places places_;  // since they have met
  std::exception_ptr failure_;
  int uncaught_ = std::uncaught_exceptions();
  bool all_know_ = false;   // that the call is over
  collective_call* outer_;  // the call of this thread that makes this one
};

/// Throws usage_error, if data of `rank` of `ranks` are not of this machine: `what` is such as
/// "grid", `part` what a rank has of it.
PLEAT_API void require_machine(const machine& on, const char* name, const char* part,
                               std::size_t rank, std::size_t ranks, const char* what);

/// A VP's part in comparing them: one 0-superstep. `what` names them in the error, a phrase such as
/// "stencil: sizes". Throws: usage_error, if two ranks have different ones.
PLEAT_API task<> agree(vp& me, const rank_places& places, std::size_t rank,
                       const agreed_words& words, const char* what);

/// A VP's part in telling all ranks a value of each rank, in their order. One 0-superstep, after
/// which the first VP of each rank calls use(values).
template <byte_copyable T, class Use>
task<> tell_all_ranks(vp& me, const rank_places& places, std::size_t rank, const T& mine,
                      const Use& use) {
  const bool first = me.rank() == places[rank].first;
  if (first) {
    for (const rank_range& other : places) me.send(other.first, mine);
  }
  co_await me.sync(0);
  if (!first) co_return;
  std::vector<T> all;
  for (auto m = me.receive(); m; m = me.receive()) all.push_back(m->template get<T>());
  use(std::as_const(all));
}

/// A VP's part in copying the blocks of all ranks to `to`, one behind the other, on every rank.
/// `block` is this rank's. One 0-superstep.
template <class T, class Out>
task<> gather_blocks(vp& me, const rank_places& places, std::size_t rank, std::span<const T> block,
                     Out to) {
  const bool first = me.rank() == places[rank].first;
  if (first && !block.empty()) {
    for (const rank_range& other : places) me.lend(other.first, block);
  }
  co_await me.sync(0);
  if (!first) co_return;
  for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the ranks
    const strided_view<const T> theirs = m->template view<const T>();
    to = std::copy_n(theirs.data, theirs.size(), to);
  }
}

/// Copies of chosen elements of all ranks, on every rank: each lends all others those of its block.
/// Two 0-supersteps.
template <class T> class gather_places {
 public:
  gather_places(std::size_t n, std::size_t rank, std::span<const T> block,
                const std::vector<std::size_t>& places)
      : all_{0, n}, rank_(rank), block_(block), chosen_(places) {}
  gather_places(const gather_places&) = delete;
  gather_places& operator=(const gather_places&) = delete;

  /// Throws: usage_error, if an element is beyond the end.
  void check() const {
    for (const std::size_t i : chosen_)
      if (!all_.contains(i))
        throw usage_error("gather: there is no element " + std::to_string(i) + " of " +
                          std::to_string(all_.size()));
  }
  /// Copies the chosen elements that this rank has, while it is alone. Throws: std::bad_alloc.
  void take(const interval<>& here) {
    std::size_t count = 0;
    for (const std::size_t i : chosen_) count += here.contains(i) ? 1 : 0;
    ours_ = std::make_unique<T[]>(count);
    for (const std::size_t i : chosen_)
      if (here.contains(i)) ours_[count_++] = block_[i - here.first];
  }

  /// Copies them to `to`, if there is no other rank.
  template <class Out> void put_own(Out to) const { std::copy_n(ours_.get(), count_, to); }
  /// `to` has as many elements as are chosen.
  template <class Out> task<> operator()(vp& me, const rank_places& places, Out to) const {
    agreed_words words{chosen_.size()};
    for (const std::size_t i : chosen_) words[1] = (words[1] ^ i) * 0x100000001b3;
    co_await agree(me, places, rank_, words, "gather: indices");
    const bool first = me.rank() == places[rank_].first;
    if (first && count_ != 0)
      for (const rank_range& other : places)
        me.lend(other.first, std::span<const T>(ours_.get(), count_));
    co_await me.sync(0);
    if (!first) co_return;
    std::vector<const T*> next(places.size(), nullptr);
    std::size_t rank = 0;
    for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the ranks
      while (!places[rank].contains(m->source())) ++rank;
      next[rank] = m->template view<const T>().data;
    }
    for (const std::size_t i : chosen_)
      *to++ = *next[(places.size() * (i + 1) - 1) / all_.size()]++;
  }

 private:
  interval<> all_;
  std::size_t rank_;
  std::span<const T> block_;
  const std::vector<std::size_t>& chosen_;
  std::unique_ptr<T[]> ours_;
  std::size_t count_ = 0;
};

/// The values of all ranks, from the first run of a call, in which they meet.
template <byte_copyable T, class Call> std::vector<T> values_of_ranks(Call& call, const T& mine) {
  std::vector<T> all;
  const auto take = [&all](const std::vector<T>& values) { all = values; };
  call.run([&](vp& me, const rank_places& places) {
    return distribution::tell_all_ranks(me, places, call.rank(), mine, take);
  });
  return all;
}

}  // namespace pleat::detail::distribution
