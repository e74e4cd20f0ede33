// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placed_memory.hpp>

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
  distributed_grid(machine& on, const std::array<std::size_t, D>& size)
      : size_(size), rank_(on.rank()), ranks_(on.ranks()) {
    const std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(T) / ranks_;
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
      memory_ = placed_memory(on, local_cells() * sizeof(T));
      if constexpr (!std::is_trivially_default_constructible_v<T>)
        std::uninitialized_value_construct_n(data(), local_cells());
    });
    if (call.alone()) return;
    detail::distribution::agreed_words words{D};
    for (std::size_t i = 0; i < D; ++i) words[1 + i] = size[i];
    call.run([&](vp& me, const detail::distribution::rank_places& places) {
      return detail::distribution::agree(me, places, rank_, words, "distributed_grid: sizes");
    });
  }
  distributed_grid(distributed_grid&& other) noexcept { swap(other); }
  distributed_grid& operator=(distributed_grid&& other) noexcept {
    distributed_grid taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~distributed_grid() = default;

  /// Number of cells of all ranks, in each dimension and in total.
  [[nodiscard]] const std::array<std::size_t, D>& size() const noexcept { return size_; }
  [[nodiscard]] std::size_t cells() const noexcept { return size_[0] * row_cells(); }
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }

  /// The slab of this rank: cell (x, y, z) of it is cell (rows().first + x, y, z) of the grid. Its
  /// address does not change during the lifetime of the object.
  [[nodiscard]] grid_view<T, D> local() noexcept { return {data(), local_size()}; }
  [[nodiscard]] grid_view<const T, D> local() const noexcept { return {data(), local_size()}; }
  /// Cells of this rank in row-major order.
  [[nodiscard]] std::span<T> local_span() noexcept { return {data(), local_cells()}; }
  [[nodiscard]] std::span<const T> local_span() const noexcept { return {data(), local_cells()}; }

  /// The rows of a rank. Requires: rank < ranks().
  [[nodiscard]] interval<> rows_of(std::size_t rank) const noexcept {
    return interval<>{0, size_[0]}.share(rank, ranks_);
  }
  /// Rows of this rank.
  [[nodiscard]] interval<> rows() const noexcept { return rows_of(rank_); }
  /// The rank that holds this row. Requires: row < size()[0].
  [[nodiscard]] std::size_t owner(std::size_t row) const noexcept {
    assert(row < size_[0]);
    return (ranks_ * (row + 1) - 1) / size_[0];
  }

  /// Sets the cell with the global indices i… to f(i…), converted to a T, for all cells of all
  /// ranks.
  ///
  /// Requires: f may be called by several threads at once. Collective. Cost: a call of f for each
  /// cell of a slab on the workers of its rank, and a run of one 0-superstep. Throws: what f
  /// throws, the cells then have unspecified values.
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
    if (call.alone()) return std::vector<T>(data(), data() + local_cells());
    std::vector<T> all;
    call.here([&] { all.resize(cells()); });
    call.run([&](vp& me, const detail::distribution::rank_places& places) {
      return detail::distribution::gather_blocks(me, places, rank_, local_span(), all.begin());
    });
    return all;
  }

  /// Throws usage_error, for functions of the library, if the object was made on a machine with
  /// other ranks.
  void require_machine(const machine& on, const char* name) const {
    detail::distribution::require_machine(on, name, "slab", rank_, ranks_, "grid");
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
    for (std::size_t i = 1; i < D; ++i) product *= size_[i];
    return product;
  }
  [[nodiscard]] std::array<std::size_t, D> local_size() const noexcept {
    std::array<std::size_t, D> size = size_;
    size[0] = rows().size();
    return size;
  }
  [[nodiscard]] std::size_t local_cells() const noexcept { return rows().size() * row_cells(); }
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.bytes().data()); }

  template <class F> void fill_here(machine& on, F& f) {
    const std::size_t first = rows().first;
    T* const to = data();
    if constexpr (D == 1) {
      pleat::for_each_index(on, local_cells(),
                            [&](std::size_t i) { to[i] = static_cast<T>(f(first + i)); });
    } else {
      const std::size_t lines = local_cells() == 0 ? 0 : local_cells() / size_[D - 1];
      pleat::for_each_index(on, lines, [&](std::size_t line) {
        T* const cell = to + line * size_[D - 1];
        for (std::size_t i = 0; i < size_[D - 1]; ++i) {
          if constexpr (D == 2)
            cell[i] = static_cast<T>(f(first + line, i));
          else
            cell[i] = static_cast<T>(f(first + line / size_[1], line % size_[1], i));
        }
      });
    }
  }

  void swap(distributed_grid& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(rank_, other.rank_);
    std::swap(ranks_, other.ranks_);
    std::swap(memory_, other.memory_);
  }

  std::array<std::size_t, D> size_{};
  std::size_t rank_ = 0;
  std::size_t ranks_ = 1;
  placed_memory memory_;
};

}  // namespace pleat
