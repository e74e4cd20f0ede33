// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {

/// View of strided elements of any type, as bytes.
struct window {
  std::byte* data;
  std::size_t rows, columns, stride;
  std::size_t element_bytes;

  window(std::byte* first, std::size_t rows_, std::size_t columns_, std::size_t stride_,
         std::size_t bytes) noexcept
      : data(first), rows(rows_), columns(columns_), stride(stride_), element_bytes(bytes) {}
  template <class T>
  window(const strided_view<T>& view)  // NOLINT(google-explicit-constructor): the same memory
      : data(reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(view.data))),
        rows(view.rows),
        columns(view.columns),
        stride(view.stride),
        element_bytes(sizeof(T)) {}

  [[nodiscard]] bool empty() const noexcept { return rows == 0 || columns == 0; }
  operator strided_box() const {  // NOLINT(google-explicit-constructor): the same memory
    return strided_box(data, element_bytes)
        .along(rows, static_cast<std::ptrdiff_t>(stride * element_bytes))
        .along(columns, static_cast<std::ptrdiff_t>(element_bytes));
  }
};

/// op(matrix), where it lies. Steps are in elements.
struct PLEAT_API operand {
  const std::byte* data;
  std::size_t element_bytes;
  std::size_t row_step, column_step;
  std::size_t rows, columns;
  bool transposed;
  bool conjugate;

  operand(const window& matrix, matrix_op op);

  /// Element (i, j) of the part whose first element is `corner`; null stays null, of a matrix
  /// without elements.
  [[nodiscard]] const std::byte* at(const std::byte* corner, std::size_t i,
                                    std::size_t j) const noexcept {
    if (corner == nullptr) return corner;
    return corner + (i * row_step + j * column_step) * element_bytes;
  }
  /// Part that begins at `corner`, for a kernel.
  template <class T> [[nodiscard]] factor<T> as_factor(const std::byte* corner) const noexcept {
    return {reinterpret_cast<const T*>(corner), row_step, column_step, conjugate};
  }
  /// r × c elements from `corner` on, as they lie in memory.
  template <class T>
  [[nodiscard]] strided_view<const T> view(const std::byte* corner, std::size_t r,
                                           std::size_t c) const noexcept {
    const T* const first = reinterpret_cast<const T*>(corner);
    return transposed ? strided_view<const T>(first, c, r, column_step)
                      : strided_view<const T>(first, r, c, row_step);
  }
};

/// Factors of a product, op(A) and op(B).
struct factors {
  operand a, b;
};

/// Returns sizes as text, such as "2 x 3".
[[nodiscard]] PLEAT_API std::string sizes(std::size_t rows, std::size_t columns);

/// Throws usage_error for rows that overlap and for elements without memory.
PLEAT_API void check_view(const char* caller, const char* name, const window& view);

/// Throws usage_error, unless a product of these factors has so many rows and columns.
void check_sizes(const char* caller, const factors& of, std::size_t rows, std::size_t columns);
/// Throws usage_error for what cannot be multiplied.
PLEAT_API void check_product(const char* caller, const window& a, matrix_op op_a, const window& b,
                             matrix_op op_b, const window& c);

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

/// Summand to which a product is added.
enum class onto {
  nothing,  ///< C ← A·B
  scaled,   ///< C ← A·B + beta·C, of the user's beta
  sum       ///< C ← A·B + C
};

/// Options of a product, whatever the type of its elements.
struct request {
  matrix_op op_a = matrix_op::none, op_b = matrix_op::none;
  onto kind = onto::nothing;
  const char* wrong = nullptr;  ///< the error, of options that do not go together
  bool reads_factors = true;    ///< else alpha is 0
  bool in_rounds = false;       ///< by the recursion that needs no memory for sums
  std::optional<std::size_t> vps = std::nullopt;
  /// Bits of alpha and beta that ranks compare.
  std::array<std::uint64_t, 4> scales{};
};

/// Multiplies matrices of one memory; what a VP throws is thrown. Throws: usage_error for what
/// cannot be multiplied, and for 0 VPs.
PLEAT_API run_report multiply(machine& named, const char* caller, any_product& what,
                              const window& a, const window& b, const window& c,
                              const request& asked);

/// Distributed matrix as a rank sees it.
struct rank_matrix {
  const void* object;  ///< tells it from others
  distribution::rank_rectangles all;
  std::size_t rank;
  window local;
};

/// Multiplies distributed matrices, on all ranks. Collective.
PLEAT_API run_report multiply_over_ranks(machine& on, any_product& what, const rank_matrix& a,
                                         const rank_matrix& b, const rank_matrix& c,
                                         const request& asked);

}  // namespace pleat::detail::matmul
