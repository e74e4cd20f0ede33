// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rank_part.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Matrix distributed over the ranks of a machine. The R ranks form a grid of P × Q = R; rank p·Q +
/// q holds a rectangle: the p-th of P shares of the rows and the q-th of Q shares of the columns. P
/// and Q are chosen to make the sides of the rectangles shortest: near-square matrices have
/// near-square rectangles, tall ones blocks of rows, wide ones blocks of columns. On a machine of
/// one process the whole matrix is one rectangle.
///
/// ```cpp
/// pleat::distributed_matrix<double> a(machine, rows, columns);               // zeros
/// a.fill(machine, [](std::size_t i, std::size_t j) { return 1.0 / (1.0 + i + j); });
/// const pleat::strided_view<double> mine = a.local();    // a.rows() × a.columns() of the matrix
/// const std::vector<double> all = a.gather(machine);     // if they are few
/// ```
///
/// Calls with a machine are collective, as those of distributed are: all ranks make them, and all
/// throw what one of them throws. All other members concern this rank alone.
///
/// Requires: T is trivially copyable, is default constructible, and holds no pointers.
/// Memory: the elements of its rectangle on each rank, with its pages where placed_memory puts
/// them. Thread safety: as a value. The matrix may outlive the machine.
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed_matrix {
 public:
  using value_type = T;

  /// Makes a matrix without elements.
  distributed_matrix() = default;
  /// Makes a matrix of this size; elements are value-initialised: zeros, if they are numbers.
  ///
  /// Cost: a page fault for each page, shared among the workers of the rank; a run of two
  /// 0-supersteps, none if there is one rank. Throws: usage_error (the ranks ask for different
  /// sizes; more elements than can be counted); std::bad_alloc; what machine::run throws.
  distributed_matrix(machine& on, std::size_t rows, std::size_t columns)
      : part_(on, {rows, columns, on.ranks()}) {
    const std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(T) / on.ranks();
    const bool countable = rows <= most && columns <= most && (rows == 0 || columns <= most / rows);
    detail::distribution::collective_call call(on, "distributed_matrix",
                                               countable ? rows * columns : most, sizeof(T));
    call.here([&] {
      if (!countable) throw usage_error("distributed_matrix: more elements than can be counted");
      part_.make(on, part_.whole().of(rank()).size());
    });
    if (call.alone()) return;
    call.compare({rows, columns}, "distributed_matrix: sizes");
  }

  /// Rows and columns of the whole matrix.
  [[nodiscard]] std::size_t row_count() const noexcept { return rectangles().rows(); }
  [[nodiscard]] std::size_t column_count() const noexcept { return rectangles().columns(); }
  [[nodiscard]] std::size_t size() const noexcept { return row_count() * column_count(); }
  [[nodiscard]] std::size_t rank() const noexcept { return part_.rank(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return part_.ranks(); }

  /// The rectangle of this rank: element (i, j) of it is element (rows().first + i, columns().first
  /// + j) of the matrix. Its address does not change during the lifetime of the object.
  [[nodiscard]] strided_view<T> local() noexcept {
    return {part_.data(), rows().size(), columns().size(), columns().size()};
  }
  [[nodiscard]] strided_view<const T> local() const noexcept {
    return {part_.data(), rows().size(), columns().size(), columns().size()};
  }

  /// The rows and columns of a rank's rectangle. Requires: rank < ranks().
  [[nodiscard]] interval<> rows_of(std::size_t rank) const noexcept {
    return rectangles().of(rank).rows;
  }
  [[nodiscard]] interval<> columns_of(std::size_t rank) const noexcept {
    return rectangles().of(rank).columns;
  }
  /// Rows and columns of this rank.
  [[nodiscard]] interval<> rows() const noexcept { return rows_of(rank()); }
  [[nodiscard]] interval<> columns() const noexcept { return columns_of(rank()); }

  /// Sets element (i, j) to f(i, j), converted to a T, for all elements of all ranks.
  ///
  /// Requires: f may be called by several threads at once. Collective. Cost: a call of f for each
  /// element of a rectangle, its rows shared among the workers of the rank, and a run of one
  /// 0-superstep. Throws: what f throws; the elements then have unspecified values.
  template <class F> void fill(machine& on, F f) {
    detail::distribution::collective_call call = collective(on, "fill");
    call.here([&] {
      const strided_view<T> to = local();
      const std::size_t first = columns().first;
      pleat::for_each_index(on, to.rows, [&](std::size_t i) {
        T* const row = to.data + i * to.stride;
        for (std::size_t j = 0; j < to.columns; ++j)
          row[j] = static_cast<T>(f(rows().first + i, first + j));
      });
    });
    call.only_meet();
  }

  /// Copies all elements, row by row, to every rank: for small matrices.
  ///
  /// Collective. Cost: each rank sends its rectangle and receives all elements; two 0-supersteps.
  /// Memory: all elements on each rank, and three times as much during the call. Throws:
  /// std::bad_alloc.
  [[nodiscard]] std::vector<T> gather(machine& on) const requires(!std::same_as<T, bool>) {
    detail::distribution::collective_call call = collective(on, "gather");
    std::vector<T> all;
    call.here([&] { all.resize(size()); });
    const std::vector<T> numbers = part_.gathered(call, size());
    auto from = numbers.cbegin();
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const detail::rectangle part = rectangles().of(rank);
      for (std::size_t i = part.rows.first; i < part.rows.last; ++i, from += part.columns.size())
        std::copy_n(from, part.columns.size(),
                    all.data() + i * column_count() + part.columns.first);
    }
    return all;
  }

  /// Distribution of the elements, for functions of the library.
  [[nodiscard]] const detail::distribution::rank_rectangles& rectangles() const noexcept {
    return part_.whole();
  }
  /// Throws usage_error, for functions of the library, if the object was made on a machine with
  /// other ranks.
  void require_machine(const machine& on, const char* name) const {
    detail::distribution::require_machine(on, name, "rectangle", rank(), ranks(), "matrix");
  }
  /// Begins a collective call on this object, for functions of the library. The call checks that
  /// the object belongs to that machine.
  [[nodiscard]] detail::distribution::collective_call collective(machine& on,
                                                                 const char* name) const {
    return {on, name, size(), sizeof(T), 0, 1, [&] { require_machine(on, name); }};
  }

 private:
  detail::distribution::rank_part<T, detail::distribution::rank_rectangles> part_;
};

}  // namespace pleat
