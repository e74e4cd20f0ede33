// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/matmul/block.hpp>
#include <pleat/oblivious/matmul/operands.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {

/// What a product is added to.
enum class onto {
  nothing,  ///< C ← A·B
  scaled,   ///< C ← A·B + beta·C, of the user's beta
  sum       ///< C ← A·B + C
};

/// What a VP computes at the end of the recursion, and how sums are added: C = alpha·A·B over a
/// semiring.
template <class S, class T> struct value_product {
  using element = T;
  /// Where a part of C lies.
  struct place {
    T* c;
    std::size_t leading;
    [[nodiscard]] place at(std::size_t i, std::size_t j) const noexcept {
      return {c + i * leading + j, leading};
    }
  };
  static constexpr std::size_t sum_bytes = sizeof(T);  ///< of an element of a sum
  /// Values that are not copied as bytes are kept as such: the sums are made before the run.
  static constexpr bool made_sums = !byte_copyable<T>;
  static std::vector<T> make_sums(std::size_t count) requires made_sums {
    return std::vector<T>(count, T(zero_of<S, T>()));
  }

  operand<T> a, b;
  place result;
  scalar<T> alpha;
  scalar<T> beta;  ///< of plus_times

  [[nodiscard]] static std::size_t work_bytes(std::size_t m, std::size_t n, std::size_t k) {
    return block_bytes<S, T>(m, n, k);
  }
  /// Memory for `elements` of sums, and the place of one of them, `offset` elements from there.
  [[nodiscard]] static place sum_place(std::byte* memory, std::size_t /*elements*/,
                                       std::size_t offset, std::size_t leading) {
    return {reinterpret_cast<T*>(memory) + offset, leading};
  }
  void multiply(const product<T>& block, const place& to, std::size_t /*first*/,
                std::byte* work) const {
    product<T> placed = block;
    placed.c = to.c;
    placed.leading = to.leading;
    multiply_block<S, T>(placed, work);
  }
  void scale(const place& at, std::size_t rows, std::size_t columns) const {
    if constexpr (std::same_as<S, plus_times> && number<T>) {
      if (beta == T(1)) return;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          T& x = at.c[i * at.leading + j];
          x = S::times(beta, x);
        }
    } else {
      static_cast<void>(at), static_cast<void>(rows), static_cast<void>(columns);
    }
  }
  static void lend(vp& me, std::size_t q, const place& from, std::size_t rows,
                   std::size_t columns) {
    me.lend(q, strided_view<T>(from.c, rows, columns, from.leading));
  }
  /// The VP that was lent a sum adds it, or only takes note of one that is in its place already.
  static void receive(vp& /*me*/, const message& first, const place& to, bool add) {
    const auto sum = first.template view<T>();
    for (std::size_t i = 0; add && i < sum.rows; ++i)
      for (std::size_t j = 0; j < sum.columns; ++j) {
        T& x = to.c[i * to.leading + j];
        x = S::plus(x, sum(i, j));
      }
  }
};

/// The same over min_plus, and where the minima were.
template <class T, class Index> struct argmin_product {
  using element = T;
  struct place {
    T* c;
    std::size_t leading;
    Index* index;
    std::size_t index_leading;
    [[nodiscard]] place at(std::size_t i, std::size_t j) const noexcept {
      return {c + i * leading + j, leading, index + i * index_leading + j, index_leading};
    }
  };
  static constexpr std::size_t sum_bytes = sizeof(T) + sizeof(Index);
  static constexpr bool made_sums = false;

  operand<T> a, b;
  place result;
  T alpha;

  using word = typename kernel_word<min_plus, T>::type;
  static_assert(sizeof(Index) == sizeof(word));

  [[nodiscard]] static std::size_t work_bytes(std::size_t m, std::size_t n, std::size_t k) {
    return argmin_packed_bytes<word>(m, n, k);
  }
  [[nodiscard]] static place sum_place(std::byte* memory, std::size_t elements, std::size_t offset,
                                       std::size_t leading) {
    T* const values = reinterpret_cast<T*>(memory);
    return {values + offset, leading, reinterpret_cast<Index*>(values + elements) + offset,
            leading};
  }
  void multiply(const product<T>& block, const place& to, std::size_t first,
                std::byte* work) const {
    if (block.inner == 0 && !block.accumulate) {
      for (std::size_t i = 0; i < block.rows; ++i) {
        std::fill_n(to.c + i * to.leading, block.columns, min_plus::zero<T>());
        std::fill_n(to.index + i * to.index_leading, block.columns, Index{-1});
      }
      return;
    }
    const product<word> same{block.rows,
                             block.columns,
                             block.inner,
                             factor_as<word>(block.a),
                             factor_as<word>(block.b),
                             reinterpret_cast<word*>(to.c),
                             to.leading,
                             word(1),
                             block.accumulate};
    argmin_packed<word>(same, reinterpret_cast<index_of<word>*>(to.index), to.index_leading, first,
                        work);
  }
  static void scale(const place& /*at*/, std::size_t /*rows*/, std::size_t /*columns*/) {}
  static void lend(vp& me, std::size_t q, const place& from, std::size_t rows,
                   std::size_t columns) {
    me.lend(q, strided_view<T>(from.c, rows, columns, from.leading));
    me.lend(q, strided_view<Index>(from.index, rows, columns, from.index_leading));
  }
  static void receive(vp& me, const message& first, const place& to, bool add) {
    const auto sum = first.template view<T>();
    const T none = min_plus::zero<T>();
    const auto second = me.receive();
    assert(second.has_value());
    const auto where = second->template view<Index>();
    for (std::size_t i = 0; add && i < sum.rows; ++i)
      for (std::size_t j = 0; j < sum.columns; ++j)
        if (sum(i, j) < none && sum(i, j) < to.c[i * to.leading + j]) {
          to.c[i * to.leading + j] = sum(i, j);
          to.index[i * to.index_leading + j] = where(i, j);
        }
  }
};

}  // namespace pleat::detail::matmul
