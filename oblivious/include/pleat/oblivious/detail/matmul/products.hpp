// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {

/// Where a part of C lies, and the part of the indices that belongs to it, if there are indices.
/// Leading dimensions are in elements.
struct place {
  std::byte* c = nullptr;
  std::size_t leading = 0;
  std::byte* index = nullptr;
  std::size_t index_leading = 0;
};

/// A block's sizes: rows and columns of C, and what is summed over, which begins at `first_inner`
/// of the whole product.
struct block_size {
  std::size_t rows, columns, inner;
  std::size_t first_inner;
};

/// A product of two matrices as matmul_program sees it: it knows how many bytes an element has;
/// what is done with elements is up to the classes derived from this one, which know their type.
/// Used by all VPs at once.
class any_product {
 public:
  any_product(const any_product&) = delete;
  any_product& operator=(const any_product&) = delete;

  operand a, b;
  place result;
  std::size_t index_bytes = 0;  ///< of one of the indices; 0: there are none

  /// Element (i, j) of a part of C.
  [[nodiscard]] place at(const place& p, std::size_t i, std::size_t j) const noexcept {
    return {p.c + (i * p.leading + j) * a.element_bytes, p.leading,
            p.index + (i * p.index_leading + j) * index_bytes, p.index_leading};
  }

  /// Memory `multiply` needs for a block no larger than this.
  [[nodiscard]] virtual std::size_t work_bytes(std::size_t rows, std::size_t columns,
                                               std::size_t inner) const = 0;
  /// Makes that many elements for sums, which live as long as this does. Null: elements are copied
  /// as bytes, and any memory will do.
  [[nodiscard]] virtual std::byte* make_sums(std::size_t count) = 0;
  /// C ← A·B, or with `accumulate` C ← A·B + C, of the parts that begin there.
  virtual void multiply(const block_size& size, const std::byte* a_corner,
                        const std::byte* b_corner, bool accumulate, const place& to,
                        std::byte* work) const = 0;
  /// C ← beta·C.
  virtual void scale(const place& at, std::size_t rows, std::size_t columns) const = 0;

  /// Lends VP q a part of a factor.
  virtual void lend_factor(vp& me, std::size_t q, const operand& of, const std::byte* corner,
                           std::size_t rows, std::size_t columns) const = 0;
  /// The first element of what was lent.
  [[nodiscard]] virtual const std::byte* lent_corner(const message& m) const = 0;
  /// Lends VP q a part of a sum.
  virtual void lend_sum(vp& me, std::size_t q, const place& from, std::size_t rows,
                        std::size_t columns) const = 0;
  /// The VP that was lent a sum adds it, or only takes note of one that is in its place already.
  virtual void receive_sum(vp& me, const message& first, const place& to, bool add) const = 0;

 protected:
  any_product(const operand& left, const operand& right, const place& to) noexcept
      : a(left), b(right), result(to) {}
  ~any_product() = default;
};

/// What is the same over every semiring.
template <class T> class product_of : public any_product {
 public:
  using any_product::any_product;

  void lend_factor(vp& me, std::size_t q, const operand& of, const std::byte* corner,
                   std::size_t rows, std::size_t columns) const final {
    me.lend(q, of.view<T>(corner, rows, columns));
  }
  [[nodiscard]] const std::byte* lent_corner(const message& m) const final {
    return reinterpret_cast<const std::byte*>(m.view<const T>().data);
  }

 protected:
  ~product_of() = default;

  [[nodiscard]] static T* elements(const place& p) noexcept { return reinterpret_cast<T*>(p.c); }
};

/// C = alpha·A·B + beta·C over a semiring.
template <class S, class T> class value_product final : public product_of<T> {
 public:
  value_product(const operand& left, const operand& right, strided_view<T> c, scalar<T> alpha,
                scalar<T> beta)
      : product_of<T>(left, right, {reinterpret_cast<std::byte*>(c.data), c.stride, nullptr, 0}),
        alpha_(alpha),
        beta_(beta) {}

  [[nodiscard]] std::size_t work_bytes(std::size_t rows, std::size_t columns,
                                       std::size_t inner) const override {
    return block_bytes<S, T>(rows, columns, inner);
  }
  [[nodiscard]] std::byte* make_sums(std::size_t count) override {
    if constexpr (byte_copyable<T>) {
      static_cast<void>(count);
      return nullptr;
    } else {
      sums_.assign(count, T(zero_of<S, T>()));
      return reinterpret_cast<std::byte*>(sums_.data());
    }
  }
  void multiply(const block_size& size, const std::byte* a_corner, const std::byte* b_corner,
                bool accumulate, const place& to, std::byte* work) const override {
    const product<T> block{size.rows,
                           size.columns,
                           size.inner,
                           this->a.template as_factor<T>(a_corner),
                           this->b.template as_factor<T>(b_corner),
                           this->elements(to),
                           to.leading,
                           alpha_,
                           accumulate};
    multiply_block<S, T>(block, work);
  }
  void scale(const place& at, std::size_t rows, std::size_t columns) const override {
    if constexpr (std::same_as<S, plus_times> && number<T>) {
      if (beta_ == T(1)) return;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          T& x = this->elements(at)[i * at.leading + j];
          x = S::times(beta_, x);
        }
    } else {
      static_cast<void>(at), static_cast<void>(rows), static_cast<void>(columns);
    }
  }
  void lend_sum(vp& me, std::size_t q, const place& from, std::size_t rows,
                std::size_t columns) const override {
    me.lend(q, strided_view<T>(this->elements(from), rows, columns, from.leading));
  }
  void receive_sum(vp& /*me*/, const message& first, const place& to, bool add) const override {
    const auto sum = first.view<T>();
    for (std::size_t i = 0; add && i < sum.rows; ++i)
      for (std::size_t j = 0; j < sum.columns; ++j) {
        T& x = this->elements(to)[i * to.leading + j];
        x = S::plus(x, sum(i, j));
      }
  }

 private:
  scalar<T> alpha_;
  scalar<T> beta_;  ///< of plus_times
  std::vector<T> sums_;
};

/// The same over min_plus, and where the minima were.
template <class T, class Index> class argmin_product final : public product_of<T> {
 public:
  argmin_product(const operand& left, const operand& right, strided_view<T> c,
                 strided_view<Index> index)
      : product_of<T>(left, right,
                      {reinterpret_cast<std::byte*>(c.data), c.stride,
                       reinterpret_cast<std::byte*>(index.data), index.stride}) {
    this->index_bytes = sizeof(Index);
  }

  [[nodiscard]] std::size_t work_bytes(std::size_t rows, std::size_t columns,
                                       std::size_t inner) const override {
    return argmin_packed_bytes<word>(rows, columns, inner);
  }
  [[nodiscard]] std::byte* make_sums(std::size_t /*count*/) override { return nullptr; }
  void multiply(const block_size& size, const std::byte* a_corner, const std::byte* b_corner,
                bool accumulate, const place& to, std::byte* work) const override {
    if (size.inner == 0 && !accumulate) {
      for (std::size_t i = 0; i < size.rows; ++i) {
        std::fill_n(this->elements(to) + i * to.leading, size.columns, min_plus::zero<T>());
        std::fill_n(indices(to) + i * to.index_leading, size.columns, Index{-1});
      }
      return;
    }
    const product<word> block{size.rows,
                              size.columns,
                              size.inner,
                              this->a.template as_factor<word>(a_corner),
                              this->b.template as_factor<word>(b_corner),
                              reinterpret_cast<word*>(to.c),
                              to.leading,
                              word(1),
                              accumulate};
    argmin_packed<word>(block, reinterpret_cast<index_of<word>*>(to.index), to.index_leading,
                        size.first_inner, work);
  }
  void scale(const place& /*at*/, std::size_t /*rows*/, std::size_t /*columns*/) const override {}
  void lend_sum(vp& me, std::size_t q, const place& from, std::size_t rows,
                std::size_t columns) const override {
    me.lend(q, strided_view<T>(this->elements(from), rows, columns, from.leading));
    me.lend(q, strided_view<Index>(indices(from), rows, columns, from.index_leading));
  }
  void receive_sum(vp& me, const message& first, const place& to, bool add) const override {
    const auto sum = first.view<T>();
    const T none = min_plus::zero<T>();
    const auto second = me.receive();
    assert(second.has_value());
    const auto where = second->view<Index>();
    for (std::size_t i = 0; add && i < sum.rows; ++i)
      for (std::size_t j = 0; j < sum.columns; ++j) {
        T& x = this->elements(to)[i * to.leading + j];
        if (sum(i, j) < none && sum(i, j) < x) {
          x = sum(i, j);
          indices(to)[i * to.index_leading + j] = where(i, j);
        }
      }
  }

 private:
  using word = typename kernel_word<min_plus, T>::type;
  static_assert(sizeof(Index) == sizeof(word));

  [[nodiscard]] static Index* indices(const place& p) noexcept {
    return reinterpret_cast<Index*>(p.index);
  }
};

}  // namespace pleat::detail::matmul
