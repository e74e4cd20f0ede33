// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "matmul/matmul_program.hpp"
#include "matmul/rank_panels.hpp"

namespace pleat::detail::matmul {
namespace {

/// A product over ranks, on one of them. Its first level are panels, in as many rounds as there are
/// steps: one superstep brings a node's panels, and the recursion of one memory multiplies them. C
/// is written when no VP can fail any more.
class rank_product {
 public:
  rank_product(any_product& what, rank_panels panels, const rectangle& c, std::size_t each,
               const request& asked)
      : product_(what), panels_(std::move(panels)), c_(c), each_(each), kind_(asked.kind) {
    for (std::size_t n = panels_.here().first; n < panels_.here().last; ++n) {
      const node& one = panels_.at(n);
      const block_size most{one.c.rows.size(), one.c.columns.size(), panels_.thickest(), 0};
      programs_.emplace_back(what, most, each, asked.in_rounds, one.first);
    }
  }
  rank_product(const rank_product&) = delete;
  rank_product& operator=(const rank_product&) = delete;

  /// Takes its memory.
  void lie_in(arena& in) {
    sums_ = {in.array<std::byte>(c_.size() * product_.element_bytes), c_.columns.size()};
    panels_.lie_in(in);
    for (matmul_program& one : programs_) one.lie_in(in);
  }

  /// The program of one VP.
  task<> operator()(vp& me) {
    const node* const mine = node_of(me.rank());
    if (mine != nullptr && kind_ != onto::nothing) copy(me, *mine, product_.result, sums_);
    onto kind = kind_;
    for (std::size_t step = 0; step < panels_.steps(); ++step) {
      if (mine != nullptr) panels_.lend(me, *mine, step);
      co_await me.sync(0);
      if (mine == nullptr) continue;
      const std::vector<panel> panels = panels_.take(me, *mine, step);
      for (const panel& p : panels) {
        if (p.problem.inner.empty() && panels_.thickest() > 0) continue;
        const part all{p.problem, &p.of, p.of.a.data, p.of.b.data, part_of(sums_, mine->c), kind};
        co_await programs_[mine->index](me, all);
        kind = onto::sum;
      }
    }
    co_await me.sync(0);
    if (mine != nullptr) copy(me, *mine, sums_, product_.result);
  }

 private:
  /// Null for a VP that has nothing to do.
  [[nodiscard]] const node* node_of(std::size_t rank) const noexcept {
    for (std::size_t n = panels_.here().first; n < panels_.here().last; ++n)
      if (rank - panels_.at(n).first < each_) return &panels_.at(n);
    return nullptr;
  }
  [[nodiscard]] place part_of(const place& all, const rectangle& part) const noexcept {
    if (part.empty()) return all;
    return product_.at(all, part.rows.first - c_.rows.first, part.columns.first - c_.columns.first);
  }
  /// Copies this VP's share of the node's elements.
  void copy(const vp& me, const node& mine, const place& from, const place& to) const {
    const interval<> rows = mine.c.rows.share(me.rank() - mine.first, each_);
    const rectangle share{rows, mine.c.columns};
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(product_.at(part_of(from, share), i, 0).c,
                  share.columns.size() * product_.element_bytes,
                  product_.at(part_of(to, share), i, 0).c);
  }

  const any_product& product_;
  rank_panels panels_;
  rectangle c_;  ///< of this rank
  std::size_t each_;
  onto kind_;
  std::deque<matmul_program> programs_;  ///< of the nodes here
  place sums_;
};

}  // namespace

run_report multiply_over_ranks(machine& on, any_product& what, const rank_matrix& a,
                               const rank_matrix& b, const rank_matrix& c, const request& asked,
                               const scale_bits& scales) {
  constexpr const char* who = "matmul";
  const std::size_t rows = c.all.rows(), columns = c.all.columns();
  distribution::collective_call call(on, who, rows * columns, what.element_bytes, 0, 1, [&] {
    for (const rank_matrix* one : {&c, &a, &b})
      distribution::require_machine(on, who, "rectangle", one->rank, one->all.ranks(), "matrix");
  });
  if (call.alone()) {
    const machine::rank_turn here(on);
    return multiply(on, who, what, a.local, b.local, c.local, asked);
  }
  std::vector<interval<>> pieces;
  std::size_t vps = 1;
  call.here([&] {
    const auto shape = [](const rank_matrix& m, matrix_op op) {
      return operand(window(nullptr, m.all.rows(), m.all.columns(), 0, 0), op);
    };
    const factors of{shape(a, asked.op_a), shape(b, asked.op_b)};
    check_sizes(who, of, rows, columns);
    if ((a.object == c.object || b.object == c.object) && rows * columns > 0)
      throw usage_error(std::string("matmul: c is also ") + (a.object == c.object ? "a" : "b") +
                        ", which is read while c is written: give it memory of its own");
    if (asked.wrong != nullptr) throw usage_error(asked.wrong);
    pieces = distribution::common_cuts(asked.reads_factors ? of.a.columns : 0,
                                       of.a.transposed ? a.all.down() : a.all.across(),
                                       of.b.transposed ? b.all.across() : b.all.down());
    if (pieces.empty()) pieces.push_back({});  // C is scaled, or zero
    // The greatest rectangle, and panels that are as thick as any.
    const auto most = [](std::size_t n, std::size_t shares) { return (n + shares - 1) / shares; };
    std::size_t longest = 0;
    for (const interval<>& piece : pieces) longest = std::max(longest, piece.size());
    vps = matmul_vps(on, who, most(rows, c.all.down()), most(columns, c.all.across()),
                     most(longest, distribution::panel_steps(pieces)), asked.vps);
  });
  const distribution::agreed_words words{a.all.rows(),
                                         a.all.columns(),
                                         b.all.rows(),
                                         b.all.columns(),
                                         rows,
                                         columns,
                                         static_cast<std::uint64_t>(asked.op_a),
                                         static_cast<std::uint64_t>(asked.op_b),
                                         static_cast<std::uint64_t>(asked.kind),
                                         asked.in_rounds ? 1U : 0U,
                                         asked.vps.value_or(0),
                                         scales[0],
                                         scales[1],
                                         scales[2],
                                         scales[3]};
  call.run([&](vp& me, const distribution::rank_places& places) {
    return distribution::agree(me, places, c.rank, words, "matmul: sizes or options");
  });
  if (rows == 0 || columns == 0) return {};
  const distribution::rank_places& places = call.spread(on.threads());  // as they are
  const bool nodes_are_ranks = alike(places);
  const std::size_t each = nodes_are_ranks ? std::bit_floor(vps) : 1;
  // A power of two of VPs on each rank is a cluster.
  if (nodes_are_ranks) call.spread(places.size() * std::max(each, std::bit_ceil(places[0].size())));
  std::optional<machine::turn> scratch;
  std::optional<rank_product> product;
  call.here([&] {
    scratch.emplace(on, machine::use::scratch);
    product.emplace(what,
                    rank_panels(what, rank_factor(a, asked.op_a), rank_factor(b, asked.op_b),
                                std::move(pieces), nodes_of(c.all, places), each, c.rank),
                    c.all.of(c.rank), each, asked);
    arena::take(on, [&](arena& in) { product->lie_in(in); });
  });
  return call.run_again([&](vp& me, const distribution::rank_places&) -> task<> {
    if (product) co_await (*product)(me);  // else this rank's first VP throws why not
  });
}

}  // namespace pleat::detail::matmul
