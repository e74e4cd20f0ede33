// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Calls that all ranks of a machine make together, and the runs that carry them out: one VP for
// each worker of all ranks.
namespace pleat::detail::distribution {

/// The VPs of each rank, in the order of ranks.
using rank_places = std::vector<rank_range>;

/// What a rank calls, in words that all ranks compare before anything else happens.
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

/// One rank's part in a call.
class PLEAT_API collective_call {
 public:
  collective_call(machine& on, const char* name, std::size_t elements, std::size_t element_bytes,
                  std::size_t other_bytes = 0, std::size_t parts = 1);

  /// Does what this rank does before the ranks meet, on its workers alone. What it throws ends the
  /// call on all ranks, as soon as they meet.
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

  /// The first step of the program of each VP: one 0-superstep, after which all VPs know that all
  /// ranks make this call, and which VPs they have.
  /// Throws: usage_error if they do not; what has failed on this rank before.
  task<rank_places> meet(vp& me) const;

  /// Runs program(me, places) on a VP for each worker of all ranks. Throws what one of them throws,
  /// on all ranks.
  template <class Program> run_report run(Program&& program) {
    return run_program(on_, on_.threads(), [this, &program](vp& me) -> task<> {
      const rank_places places = co_await meet(me);
      co_await program(me, places);
    });
  }
  /// A later run of a call whose ranks have met, in these places: nothing is compared. Throws also
  /// what has failed here on one of them since.
  template <class Program> run_report run_on(const rank_places& places, const Program& program) {
    return run_program(on_, on_.threads(), [this, &places, &program](vp& me) -> task<> {
      if (failure_ && me.rank() == words_.first_vp) std::rethrow_exception(failure_);
      co_await program(me, places);
    });
  }
  /// A run in which they only hear whether one has failed.
  void meet_again(const rank_places& places);
  /// As run, without anything but the meeting. On a machine of one process no run.
  void only_meet();

 private:
  machine& on_;
  call_words words_;
  std::exception_ptr failure_;
};

}  // namespace pleat::detail::distribution
