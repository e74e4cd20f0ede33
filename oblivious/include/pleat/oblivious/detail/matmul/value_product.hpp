// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/block.hpp>
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

}  // namespace pleat::detail::matmul
