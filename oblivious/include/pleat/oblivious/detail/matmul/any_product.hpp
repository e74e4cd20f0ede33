// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {

/// Place of a part of C, and of the part of the indices that belongs to it, if there are indices.
/// Leading dimensions are in elements.
struct place {
  std::byte* c = nullptr;
  std::size_t leading = 0;
  std::byte* index = nullptr;
  std::size_t index_leading = 0;
};

/// Sizes of a block: rows and columns of C, and the part of the inner dimension that is summed
/// over, which begins at `first_inner` of the whole product.
struct block_size {
  std::size_t rows, columns, inner;
  std::size_t first_inner;
};

/// Interface of a product of two matrices for matmul_program. It knows the bytes of an element; the
/// derived classes know the type and compute with elements. All VPs use it concurrently.
class any_product {
 public:
  any_product(const any_product&) = delete;
  any_product& operator=(const any_product&) = delete;

  place result;
  std::size_t element_bytes;
  std::size_t index_bytes;  ///< of one of the indices; 0: there are none

  /// Element (i, j) of a part of C.
  [[nodiscard]] place at(const place& p, std::size_t i, std::size_t j) const noexcept {
    return {p.c + (i * p.leading + j) * element_bytes, p.leading,
            p.index + (i * p.index_leading + j) * index_bytes, p.index_leading};
  }

  /// Memory `multiply` needs for a block no larger than this.
  [[nodiscard]] virtual std::size_t work_bytes(std::size_t rows, std::size_t columns,
                                               std::size_t inner) const = 0;
  /// Makes `count` elements for sums, which live as long as this object. Returns null if elements
  /// are copied as bytes, so that any memory will do.
  [[nodiscard]] virtual std::byte* make_sums(std::size_t count) = 0;
  /// Computes C ← A·B, or with `accumulate` C ← A·B + C, of the parts of the factors that begin at
  /// the corners.
  virtual void multiply(const block_size& size, const factors& of, const std::byte* a_corner,
                        const std::byte* b_corner, bool accumulate, const place& to,
                        std::byte* work) const = 0;
  /// Computes C ← beta·C.
  virtual void scale(const place& at, std::size_t rows, std::size_t columns) const = 0;

  /// Lends VP q a part of a factor.
  virtual void lend_factor(vp& me, std::size_t q, const operand& of, const std::byte* corner,
                           std::size_t rows, std::size_t columns) const = 0;
  /// View of the part that was lent, as it lies in memory.
  [[nodiscard]] virtual window lent(const message& m) const = 0;
  /// Lends VP q a part of a sum.
  virtual void lend_sum(vp& me, std::size_t q, const place& from, std::size_t rows,
                        std::size_t columns) const = 0;
  /// Adds a sum that was lent, or without `add` only receives it, because it is already in place.
  virtual void receive_sum(vp& me, const message& first, const place& to, bool add) const = 0;

 protected:
  any_product(const place& to, std::size_t bytes, std::size_t bytes_of_index = 0) noexcept
      : result(to), element_bytes(bytes), index_bytes(bytes_of_index) {}
  ~any_product() = default;
};

/// Functions of a product that are the same over every semiring.
template <class T> class product_of : public any_product {
 public:
  using any_product::any_product;

  void lend_factor(vp& me, std::size_t q, const operand& of, const std::byte* corner,
                   std::size_t rows, std::size_t columns) const final {
    me.lend(q, of.view<T>(corner, rows, columns));
  }
  [[nodiscard]] window lent(const message& m) const final { return m.view<const T>(); }

 protected:
  ~product_of() = default;

  [[nodiscard]] static T* elements(const place& p) noexcept { return reinterpret_cast<T*>(p.c); }
};

}  // namespace pleat::detail::matmul
