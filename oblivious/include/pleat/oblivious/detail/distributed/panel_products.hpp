// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rectangle_exchange.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placed_memory.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// The product of distributed matrices: each rank computes its rectangle of C from panels of A and
// B.
namespace pleat::detail::distribution {

/// Panels are thinner only where fewer indices lie together on one rank. The kernels need some 256
/// for their full speed; thicker ones only cost memory.
inline constexpr std::size_t panel_thickness = 1024;

/// The sums of the products of a rank's rows of op(A) and columns of op(B) over indices `k`.
template <class T> struct panel_pair { strided_view<const T> a, b; };

/// What all ranks must ask for alike.
template <class T>
agreed_words words_of(const distributed_matrix<T>& a, const distributed_matrix<T>& b,
                      const distributed_matrix<T>& c, const matmul_options<T>& options) {
  using number = matmul::scalar<T>;
  agreed_words words{a.row_count(),
                     a.column_count(),
                     b.row_count(),
                     b.column_count(),
                     c.row_count(),
                     c.column_count(),
                     static_cast<std::uint64_t>(options.op_a),
                     static_cast<std::uint64_t>(options.op_b),
                     options.accumulate ? 1U : 0U};
  // Bytes of a long double are not all of its value.
  if constexpr (sizeof(number) <= 16 && !std::same_as<number, long double>) {
    std::memcpy(&words[10], &options.alpha, sizeof(number));
    std::memcpy(&words[12], &options.beta, sizeof(number));
  }
  return words;
}

/// Throws usage_error for what cannot be multiplied.
template <class T>
void check_matrices(const distributed_matrix<T>& a, const distributed_matrix<T>& b,
                    const distributed_matrix<T>& c, const matmul_options<T>& options) {
  const auto rows = [](const auto& x, matrix_op op) {
    return op == matrix_op::none ? x.row_count() : x.column_count();
  };
  const auto columns = [](const auto& x, matrix_op op) {
    return op == matrix_op::none ? x.column_count() : x.row_count();
  };
  const std::string who =
      "matmul: op(a) is " + matmul::sizes(rows(a, options.op_a), columns(a, options.op_a)) +
      " and op(b) is " + matmul::sizes(rows(b, options.op_b), columns(b, options.op_b));
  if (columns(a, options.op_a) != rows(b, options.op_b))
    throw usage_error(who + ": op(a) needs as many columns as op(b) has rows");
  if (c.row_count() != rows(a, options.op_a) || c.column_count() != columns(b, options.op_b))
    throw usage_error(who + ": c must be " +
                      matmul::sizes(rows(a, options.op_a), columns(b, options.op_b)) + ", and is " +
                      matmul::sizes(c.row_count(), c.column_count()));
  if ((&a == &c || &b == &c) && c.size() > 0)
    throw usage_error(std::string("matmul: c is also ") + (&a == &c ? "a" : "b") +
                      ", which is read while c is written: give it memory of its own");
}

/// A product on several ranks, in this rank's eyes. The indices of the sum are cut where ranks'
/// parts of A or B end, and each piece into as many shares as there are steps; a step has one share
/// of each piece, so that in each step all ranks send.
template <class T> class panel_products {
 public:
  panel_products(const distributed_matrix<T>& a, const distributed_matrix<T>& b,
                 const distributed_matrix<T>& c, const matmul_options<T>& options)
      : a_(a), b_(b), c_(c), of_a_(options.op_a), of_b_(options.op_b) {
    const bool along_a = of_a_ == matrix_op::none, along_b = of_b_ == matrix_op::none;
    const rank_rectangles &in_a = a.rectangles(), &in_b = b.rectangles();
    pieces_ =
        common_cuts(along_b ? in_b.rows() : in_b.columns(), along_a ? in_a.across() : in_a.down(),
                    along_b ? in_b.down() : in_b.across());
    std::size_t longest = 0;
    for (const interval<>& piece : pieces_) longest = std::max(longest, piece.size());
    steps_ = pieces_.empty() ? 0 : std::max<std::size_t>(1, longest / panel_thickness);
  }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// What ranks want of A and B in a step, and this rank's panels: in place, or in `memory`.
  struct step {
    std::vector<rectangle_request> requests;
    std::vector<panel_pair<T>> panels;
    std::size_t elements = 0;  ///< of `memory`
  };
  [[nodiscard]] step plan(std::size_t s, T* memory) const {
    step planned;
    for (const interval<>& piece : pieces_) {
      const interval<> k = piece.share(s, steps_);
      if (k.empty()) continue;
      std::vector<rectangle> of_a, of_b;
      for (std::size_t rank = 0; rank < c_.ranks(); ++rank) {
        const rectangle mine = c_.rectangles().of(rank);
        const interval<> none{};
        const interval<> rows = mine.empty() ? none : mine.rows;
        const interval<> columns = mine.empty() ? none : mine.columns;
        of_a.push_back(of_a_ == matrix_op::none ? rectangle{rows, k} : rectangle{k, rows});
        of_b.push_back(of_b_ == matrix_op::none ? rectangle{k, columns} : rectangle{columns, k});
      }
      const strided_view<const T> panel_a = add(planned, a_, std::move(of_a), memory);
      const strided_view<const T> panel_b = add(planned, b_, std::move(of_b), memory);
      planned.panels.push_back({panel_a, panel_b});
    }
    return planned;
  }

 private:
  static strided_view<const T> add(step& to, const distributed_matrix<T>& matrix,
                                   std::vector<rectangle> wanted, T* memory) {
    const rectangle want = wanted[matrix.rank()];
    const rectangle have = matrix.rectangles().of(matrix.rank());
    const strided_view<const T> local = matrix.local();
    const std::size_t rows = want.rows.size(), columns = want.columns.size();
    strided_view<const T> panel(local.data, rows, columns, local.stride);
    T* copy = nullptr;
    if (!want.empty() && have.covers(want)) {
      panel.data += (want.rows.first - have.rows.first) * local.stride + want.columns.first -
                    have.columns.first;
    } else {
      copy = memory == nullptr ? nullptr : memory + to.elements;
      panel = {copy, rows, columns, columns};
      to.elements += rows * columns;
    }
    to.requests.push_back({matrix.rectangles(), sizeof(T),
                           reinterpret_cast<const std::byte*>(local.data), std::move(wanted),
                           reinterpret_cast<std::byte*>(copy)});
    return panel;
  }

  const distributed_matrix<T>& a_;
  const distributed_matrix<T>& b_;
  const distributed_matrix<T>& c_;
  matrix_op of_a_, of_b_;
  std::vector<interval<>> pieces_;
  std::size_t steps_ = 0;
};

/// The product of a rank's panels over a semiring.
template <class Semiring> struct product_over {
  machine& on;

  /// Is what is in C read? Throws: usage_error for options that go together over no semiring.
  template <class T> [[nodiscard]] bool adds(const matmul_options<T>& options) const {
    return matmul::check_scaling<Semiring>(options) != matmul::onto::nothing;
  }
  template <class T>
  void operator()(const panel_pair<T>& by, const strided_view<T>& sums,
                  const matmul_options<T>& options) const {
    pleat::matmul<Semiring>(on, by.a, by.b, sums, options);
  }
};

/// C ← alpha·op(A)·op(B) + beta·C on several ranks, each of which multiplies its panels by
/// `product`, such as a product_over.
template <class T, class Product>
void multiply_on_ranks(machine& on, collective_call& call, const distributed_matrix<T>& a,
                       const distributed_matrix<T>& b, distributed_matrix<T>& c,
                       const matmul_options<T>& options, const Product& product) {
  const strided_view<T> result = c.local();
  placed_memory sums_memory, panels_memory;
  strided_view<T> sums;
  std::optional<panel_products<T>> products;
  call.here([&] {
    check_matrices(a, b, c, options);
    const bool adds = product.adds(options);
    products.emplace(a, b, c, options);
    std::size_t elements = 0;
    for (std::size_t s = 0; s < products->steps(); ++s)
      elements = std::max(elements, products->plan(s, nullptr).elements);
    sums_memory = placed_memory(on, result.size() * sizeof(T));
    panels_memory = placed_memory(on, elements * sizeof(T));
    sums = {reinterpret_cast<T*>(sums_memory.bytes().data()), result.rows, result.columns,
            result.stride};
    if (adds) std::copy_n(result.data, result.size(), sums.data);
  });
  const agreed_words words = words_of(a, b, c, options);
  call.run([&](vp& me, const rank_places& places) {
    return agree(me, places, c.rank(), words, "matmul: sizes or options");
  });
  matmul_options<T> now = options;
  const auto multiply = [&](const panel_pair<T>& by) {
    product(by, sums, now);
    now.beta = static_cast<matmul::scalar<T>>(0);
    now.accumulate = true;
  };
  for (std::size_t s = 0; s < products->steps(); ++s) {
    typename panel_products<T>::step step;
    call.here(
        [&] { step = products->plan(s, reinterpret_cast<T*>(panels_memory.bytes().data())); });
    const rectangle_exchange exchange(c.rank(), step.requests);
    call.run_again(exchange);
    call.here([&] {
      if (result.empty()) return;
      for (const panel_pair<T>& by : step.panels) multiply(by);
    });
  }
  call.here([&] {
    if (products->steps() > 0) return;  // no indices to sum over: C is scaled, or zero
    const auto factor = [](matrix_op op, std::size_t rows, std::size_t columns) {
      return op == matrix_op::none ? strided_view<const T>(nullptr, rows, columns, columns)
                                   : strided_view<const T>(nullptr, columns, rows, rows);
    };
    multiply({factor(options.op_a, result.rows, 0), factor(options.op_b, 0, result.columns)});
  });
  call.meet_again();
  std::copy_n(sums.data, result.size(), result.data);  // which cannot fail
}

}  // namespace pleat::detail::distribution
