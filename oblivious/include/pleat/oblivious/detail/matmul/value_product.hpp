// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::matmul {

/// C = alpha·A·B + beta·C over a semiring.
template <class S, class T> class value_product final : public product_of<T> {
 public:
  value_product(strided_view<T> c, scalar<T> alpha, scalar<T> beta)
      : product_of<T>({reinterpret_cast<std::byte*>(c.data), c.stride, nullptr, 0}, sizeof(T)),
        alpha_(alpha),
        beta_(beta) {}

  [[nodiscard]] std::size_t work_bytes(std::size_t rows, std::size_t columns,
                                       std::size_t inner) const override {
    return matmul::block_bytes<S, T>(rows, columns, inner);
  }
  [[nodiscard]] std::byte* make_sums(std::size_t count) override {
    if constexpr (byte_copyable<T>) {
      static_cast<void>(count);
      return nullptr;
    } else {
      sums_.assign(count, T(matmul::zero_of<S, T>()));
      return reinterpret_cast<std::byte*>(sums_.data());
    }
  }
  void multiply(const block_size& size, const factors& of, const std::byte* a_corner,
                const std::byte* b_corner, bool accumulate, const place& to,
                std::byte* work) const override {
    const product<T> block{size.rows,
                           size.columns,
                           size.inner,
                           of.a.template as_factor<T>(a_corner),
                           of.b.template as_factor<T>(b_corner),
                           this->elements(to),
                           to.leading,
                           alpha_,
                           accumulate};
    matmul::multiply_block<S, T>(block, work);
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

/// C = A·B over min_plus, and where the minima were.
template <class T, class Index> class argmin_product final : public product_of<T> {
 public:
  argmin_product(strided_view<T> c, strided_view<Index> index)
      : product_of<T>({reinterpret_cast<std::byte*>(c.data), c.stride,
                       reinterpret_cast<std::byte*>(index.data), index.stride},
                      sizeof(T), sizeof(Index)) {}

  [[nodiscard]] std::size_t work_bytes(std::size_t rows, std::size_t columns,
                                       std::size_t inner) const override {
    return matmul::argmin_packed_bytes<word>(rows, columns, inner);
  }
  [[nodiscard]] std::byte* make_sums(std::size_t /*count*/) override { return nullptr; }
  void multiply(const block_size& size, const factors& of, const std::byte* a_corner,
                const std::byte* b_corner, bool accumulate, const place& to,
                std::byte* work) const override {
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
                              of.a.template as_factor<word>(a_corner),
                              of.b.template as_factor<word>(b_corner),
                              reinterpret_cast<word*>(to.c),
                              to.leading,
                              word(1),
                              accumulate};
    matmul::argmin_packed<word>(block, reinterpret_cast<index_of<word>*>(to.index),
                                to.index_leading, size.first_inner, work);
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
