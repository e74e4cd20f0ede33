// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/merge_program.hpp>
#include <pleat/oblivious/detail/distributed/rank_part.hpp>
#include <pleat/oblivious/detail/distributed/rearrange_blocks.hpp>
#include <pleat/oblivious/detail/distributed/selection_program.hpp>
#include <pleat/oblivious/detail/distributed/sort_blocks.hpp>
#include <pleat/oblivious/detail/distributed/sum_blocks.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Array of n elements distributed over the ranks of a machine: block r of the balanced partition
/// is in the memory of rank r. On a machine of one process there is one block, the whole array.
///
/// ```cpp
/// pleat::distributed<double> samples(machine, n);           // on all ranks, zeros
/// samples.fill(machine, [](std::size_t i) { return 1.0 / (1.0 + i); });
/// for (double& x : samples.local()) x *= 2;                 // the block of this rank
/// const std::vector<double> all = samples.gather(machine);  // if they are few
/// ```
///
/// Calls with a machine are *collective*: all ranks make them, in the same order and with the same
/// number of elements, and all throw what one of them throws (see vp_failed; the other ranks get an
/// exception type of the user's as std::runtime_error with the same text). If the ranks make
/// different calls, all ranks throw usage_error. All other members concern this rank alone.
///
/// Requires: T is default constructible. On several ranks a copy of the bytes of a T must have the
/// same value on every rank (byte_copyable, and no pointers).
/// Memory: n/ranks elements on each rank, with its pages where placed_memory puts them.
/// Thread safety: as a value. The data may outlive the machine.
template <class T>
requires(std::is_object_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed {
 public:
  using value_type = T;

  /// Makes an array without elements that belongs to no machine.
  distributed() = default;
  /// Makes n value-initialised elements: zeros, if they are numbers.
  ///
  /// Cost: a page fault for each page, shared among the workers of the rank; a run of one
  /// 0-superstep, none if there is one rank. Throws: usage_error (the ranks ask for different
  /// numbers; several ranks and a T that cannot be copied as bytes); std::bad_alloc; what T's
  /// constructor and machine::run throw.
  distributed(machine& on, std::size_t n)
      : part_(on, {{0, n}, interval<>{0, n}.share(on.rank(), on.ranks())}) {
    detail::distribution::collective_call call(on, "distributed", n, sizeof(T));
    call.here([&] {
      if (ranks() > 1 && !byte_copyable<T>)
        throw usage_error(
            "distributed: elements that cannot be copied as bytes cannot travel between " +
            std::to_string(ranks()) + " ranks; make them trivially copyable");
      part_.make(on, block().size());
    });
    call.only_meet();
  }

  /// Number of elements of all ranks, n.
  [[nodiscard]] std::size_t size() const noexcept { return part_.whole().all.last; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t rank() const noexcept { return part_.rank(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return part_.ranks(); }

  /// The block of this rank. Its address does not change during the lifetime of the object.
  [[nodiscard]] std::span<T> local() noexcept { return part_.elements(); }
  [[nodiscard]] std::span<const T> local() const noexcept { return part_.elements(); }

  /// The global indices of the elements of a rank. Requires: rank < ranks().
  [[nodiscard]] interval<> block_of(std::size_t rank) const noexcept {
    return part_.whole().all.share(rank, ranks());
  }
  /// Block of this rank: local()[j] has the index block().first + j.
  [[nodiscard]] interval<> block() const noexcept { return part_.whole().block; }
  /// The rank that holds element i. Requires: i < size().
  [[nodiscard]] std::size_t owner(std::size_t i) const noexcept {
    assert(i < size());
    return (ranks() * (i + 1) - 1) / size();
  }
  /// The global index of local()[j]. Requires: j < local().size().
  [[nodiscard]] std::size_t global_index(std::size_t j) const noexcept { return block().first + j; }
  /// Index in local() of element i. Requires: block().contains(i).
  [[nodiscard]] std::size_t local_index(std::size_t i) const noexcept {
    assert(block().contains(i));
    return i - block().first;
  }

  /// Sets element i to f(i), for all i of all ranks.
  ///
  /// Requires: f may be called by several threads at once. Collective. Cost: n/ranks calls on the
  /// workers of each rank, and a run of one 0-superstep. Throws: what f throws; the elements then
  /// have unspecified values.
  template <std::invocable<std::size_t> F>
  requires std::assignable_from<T&, std::invoke_result_t<F&, std::size_t>>
  void fill(machine& on, F f) {
    detail::distribution::collective_call call = collective(on, "fill");
    call.here([&] {
      detail::everyday::executor where(on);
      const std::span<T> mine = local();
      detail::everyday::loop("fill", where, range_options(), mine.size(),
                             [&](std::size_t begin, std::size_t end) {
                               for (std::size_t j = begin; j < end; ++j)
                                 mine[j] = f(global_index(j));
                             });
    });
    call.only_meet();
  }

  /// Copies all elements, in order, to every rank: for small arrays.
  ///
  /// Collective. Cost: each rank sends its block and receives n elements; two 0-supersteps. Memory:
  /// n elements on each rank, and 3n during the call. Throws: std::bad_alloc.
  [[nodiscard]] std::vector<T> gather(machine& on) const requires std::copyable<T> {
    detail::distribution::collective_call call = collective(on, "gather");
    return part_.gathered(call, size());
  }

  /// Copies the elements with these indices, in this order, to every rank: for few indices.
  ///
  /// ```cpp
  /// const double median = samples.gather(machine, {n / 2})[0];     // behind nth_element
  /// ```
  ///
  /// Collective. Requires: the same indices on all ranks. Cost: each rank sends those of the
  /// elements that it holds and receives all of them; three 0-supersteps. Throws: usage_error (an
  /// index that is not less than size(), or indices that differ on two ranks); std::bad_alloc.
  [[nodiscard]] std::vector<T> gather(
      machine& on, const std::vector<std::size_t>& indices) const requires std::copyable<T> {
    detail::distribution::collective_call call = collective(on, "gather");
    std::vector<T> chosen;
    detail::distribution::gather_places<T> program(size(), rank(), local(), indices);
    call.check([&] { program.check(); });
    call.here([&] {
      program.take(block());
      chosen.resize(indices.size());
    });
    if (call.alone())
      program.put_own(chosen.begin());
    else
      call.run([&](vp& me, const detail::distribution::rank_places& places) {
        return program(me, places, chosen.begin());
      });
    return chosen;
  }

  /// Throws usage_error, for functions of the library, if the object was made on a machine with
  /// other ranks.
  void require_machine(const machine& on, const char* name) const {
    detail::distribution::require_machine(on, name, "block", rank(), ranks(), "data");
  }
  /// Begins a collective call on this object, for functions of the library. The call checks that
  /// the object belongs to that machine.
  [[nodiscard]] detail::distribution::collective_call collective(machine& on, const char* name,
                                                                 std::size_t other_bytes = 0,
                                                                 std::size_t parts = 1) const {
    return {on, name, size(), sizeof(T), other_bytes, parts, [&] { require_machine(on, name); }};
  }

 private:
  struct cut {
    interval<> all, block;
  };

  detail::distribution::rank_part<T, cut> part_;
};

}  // namespace pleat
