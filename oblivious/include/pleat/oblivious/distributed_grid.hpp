// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rank_part.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Grid of one, two or three dimensions distributed over the ranks of a machine. A row is all cells
/// with one index of the first dimension. The rows of the r-th share of the balanced partition, a
/// *slab*, are in the memory of rank r. On a machine of one process the whole grid is one slab.
///
/// ```cpp
/// pleat::distributed_grid<double, 2> plate(machine, {rows, columns});        // zeros
/// plate.fill(machine, [](std::size_t x, std::size_t y) { return x == 0 ? 1.0 : 0.001 * y; });
/// const pleat::grid_view<double, 2> slab = plate.local();    // the rows of this rank
/// const std::vector<double> all = plate.gather(machine);     // if they are few
/// ```
///
/// Calls with a machine are collective, as those of distributed are: all ranks make them, and all
/// throw what one of them throws. All other members concern this rank alone.
///
/// Requires: T is trivially copyable, is default constructible, and holds no pointers.
/// Memory: the cells of its slab on each rank, with its pages where placed_memory puts them.
/// Thread safety: as a value. The grid may outlive the machine.
template <class T, std::size_t D>
requires(1 <= D && D <= 3 && std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed_grid {
 public:
  using value_type = T;

  /// Makes a grid without cells.
  distributed_grid() = default;
  /// Makes a grid of this size; cells are value-initialised: zeros, if they are numbers.
  ///
  /// Cost: a page fault for each page, shared among the workers of the rank; a run of two
  /// 0-supersteps, none if there is one rank. Throws: usage_error (the ranks ask for different
  /// sizes; more cells than can be counted); std::bad_alloc; what machine::run throws.
  distributed_grid(machine& on, const std::array<std::size_t, D>& size) : slab_(on, size) {
    const std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(T) / ranks();
    const bool none = cells() == 0;
    bool countable = true;
    std::size_t product = 1;
    for (const std::size_t n : size) {
      countable = countable && (none || n <= most / product);
      product *= none || !countable ? 1 : n;
    }
    detail::distribution::collective_call call(on, "distributed_grid", countable ? cells() : most,
                                               sizeof(T));
    call.here([&] {
      if (!countable) throw usage_error("distributed_grid: more cells than can be counted");
      slab_.make(on, rows().size() * row_cells());
    });
    if (call.alone()) return;
    detail::distribution::agreed_words words{D};
    for (std::size_t i = 0; i < D; ++i) words[1 + i] = size[i];
    call.compare(words, "distributed_grid: sizes");
  }

  /// Number of cells of all ranks, in each dimension and in total.
  [[nodiscard]] const std::array<std::size_t, D>& size() const noexcept { return slab_.whole(); }
  [[nodiscard]] std::size_t cells() const noexcept { return size()[0] * row_cells(); }
  [[nodiscard]] std::size_t rank() const noexcept { return slab_.rank(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return slab_.ranks(); }

  /// The slab of this rank: cell (x, y, z) of it is cell (rows().first + x, y, z) of the grid. Its
  /// address does not change during the lifetime of the object.
  [[nodiscard]] grid_view<T, D> local() noexcept { return {slab_.data(), local_size()}; }
  [[nodiscard]] grid_view<const T, D> local() const noexcept {
    return {slab_.data(), local_size()};
  }
  /// Cells of this rank in row-major order.
  [[nodiscard]] std::span<T> local_span() noexcept { return slab_.elements(); }
  [[nodiscard]] std::span<const T> local_span() const noexcept { return slab_.elements(); }

  /// The rows of a rank. Requires: rank < ranks().
  [[nodiscard]] interval<> rows_of(std::size_t rank) const noexcept {
    return interval<>{0, size()[0]}.share(rank, ranks());
  }
  /// Rows of this rank.
  [[nodiscard]] interval<> rows() const noexcept { return rows_of(rank()); }
  /// The rank that holds this row. Requires: row < size()[0].
  [[nodiscard]] std::size_t owner(std::size_t row) const noexcept {
    assert(row < size()[0]);
    return (ranks() * (row + 1) - 1) / size()[0];
  }

  /// Sets the cell with the global indices i… to f(i…), converted to a T, for all cells of all
  /// ranks.
  ///
  /// Requires: f may be called by several threads at once. Collective. Cost: a call of f for each
  /// cell of a slab on the workers of its rank, and a run of one 0-superstep. Throws: what f
  /// throws; the cells then have unspecified values.
  template <class F> void fill(machine& on, F f) {
    detail::distribution::collective_call call = collective(on, "fill");
    call.here([&] { fill_here(on, f); });
    call.only_meet();
  }

  /// Copies all cells, in row-major order, to every rank: for small grids.
  ///
  /// Collective. Cost: each rank sends its slab and receives all cells; two 0-supersteps. Memory:
  /// all cells on each rank, and three times as much during the call. Throws: std::bad_alloc.
  [[nodiscard]] std::vector<T> gather(machine& on) const {
    detail::distribution::collective_call call = collective(on, "gather");
    return slab_.gathered(call, cells());
  }

  /// Throws usage_error, for functions of the library, if the object was made on a machine with
  /// other ranks.
  void require_machine(const machine& on, const char* name) const {
    detail::distribution::require_machine(on, name, "slab", rank(), ranks(), "grid");
  }
  /// Begins a collective call on this object, for functions of the library. The call checks that
  /// the object belongs to that machine.
  [[nodiscard]] detail::distribution::collective_call collective(machine& on,
                                                                 const char* name) const {
    return {on, name, cells(), sizeof(T), 0, 1, [&] { require_machine(on, name); }};
  }

 private:
  [[nodiscard]] std::size_t row_cells() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 1; i < D; ++i) product *= size()[i];
    return product;
  }
  [[nodiscard]] std::array<std::size_t, D> local_size() const noexcept {
    std::array<std::size_t, D> local = size();
    local[0] = rows().size();
    return local;
  }

  template <class F> void fill_here(machine& on, F& f) {
    const std::size_t first = rows().first;
    const std::span<T> to = local_span();
    if constexpr (D == 1) {
      pleat::for_each_index(on, to.size(),
                            [&](std::size_t i) { to[i] = static_cast<T>(f(first + i)); });
    } else {
      const std::size_t length = size()[D - 1];
      pleat::for_each_index(on, to.empty() ? 0 : to.size() / length, [&](std::size_t line) {
        T* const cell = to.data() + line * length;
        for (std::size_t i = 0; i < length; ++i) {
          if constexpr (D == 2)
            cell[i] = static_cast<T>(f(first + line, i));
          else
            cell[i] = static_cast<T>(f(first + line / size()[1], line % size()[1], i));
        }
      });
    }
  }

  detail::distribution::rank_part<T, std::array<std::size_t, D>> slab_;
};

}  // namespace pleat
