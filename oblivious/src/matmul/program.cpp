// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <deque>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>

#include "matmul/matmul_program.hpp"

namespace pleat::detail::matmul {

operand::operand(const window& matrix, matrix_op op)
    : data(matrix.data),
      element_bytes(matrix.element_bytes),
      row_step(matrix.stride),
      column_step(1),
      rows(matrix.rows),
      columns(matrix.columns),
      transposed(op != matrix_op::none),
      conjugate(op == matrix_op::adjoint) {
  if (!transposed) return;
  std::swap(rows, columns);
  std::swap(row_step, column_step);
}

std::string sizes(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

void check_view(const char* caller, const char* name, const window& view) {
  if (view.empty()) return;
  if (view.rows > 1 && view.stride < view.columns)
    throw usage_error(std::string(caller) + ": the rows of " + name + " have " +
                      std::to_string(view.columns) + " elements and begin every " +
                      std::to_string(view.stride) +
                      ": a leading dimension is no less than the number of columns");
  if (view.data == nullptr)
    throw usage_error(std::string(caller) + ": " + name + " is " + sizes(view.rows, view.columns) +
                      " and points nowhere: give it memory, or 0 rows");
}

void check_sizes(const char* caller, const factors& of, std::size_t rows, std::size_t columns) {
  if (of.a.columns == of.b.rows && rows == of.a.rows && columns == of.b.columns) return;
  throw usage_error(std::string(caller) + ": op(a) is " + sizes(of.a.rows, of.a.columns) +
                    " and op(b) is " + sizes(of.b.rows, of.b.columns) +
                    (of.a.columns != of.b.rows ? ": op(a) needs as many columns as op(b) has rows"
                                               : ": c must be " + sizes(of.a.rows, of.b.columns) +
                                                     ", and is " + sizes(rows, columns)));
}

void check_product(const char* caller, const window& a, matrix_op op_a, const window& b,
                   matrix_op op_b, const window& c) {
  check_view(caller, "a", a);
  check_view(caller, "b", b);
  check_view(caller, "c", c);
  check_sizes(caller, {operand(a, op_a), operand(b, op_b)}, c.rows, c.columns);
  if (overlap(a, c) || overlap(b, c))
    throw usage_error(std::string(caller) + ": c overlaps " + (overlap(a, c) ? "a" : "b") +
                      ", which is read while c is written: give it memory of its own");
}

namespace {

/// Below this many multiplications a VP, waking a second processor costs more than it saves.
constexpr std::size_t least_multiplications = std::size_t{1} << 17;

}  // namespace

std::size_t matmul_vps(machine& on, const char* caller, std::size_t m, std::size_t n, std::size_t k,
                       const std::optional<std::size_t>& vps) {
  const double multiplications =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const std::size_t chosen = choose_vps(
      caller, vps, multiplications / static_cast<double>(least_multiplications), on.default_vps());
  return vps ? chosen : std::bit_floor(chosen);
}

run_report multiply(machine& named, const char* caller, any_product& what, const window& a,
                    const window& b, const window& c, const request& asked) {
  check_product(caller, a, asked.op_a, b, asked.op_b, c);
  if (asked.wrong != nullptr) throw usage_error(asked.wrong);
  const factors of{operand(a, asked.op_a), operand(b, asked.op_b)};
  const std::size_t inner = asked.reads_factors ? of.a.columns : 0;
  const call_machine on(named);
  const std::size_t vps =
      std::bit_floor(matmul_vps(*on, caller, c.rows, c.columns, inner, asked.vps));
  if (c.empty()) return {};
  const machine::turn mine(*on, machine::use::scratch);
  matmul_program program(what, {c.rows, c.columns, inner, 0}, vps, asked.in_rounds);
  arena::take(*on, [&program](arena& in) { program.lay_out(in); });
  const part all{{{0, c.rows}, {0, c.columns}, {0, inner}},
                 &of,
                 of.a.data,
                 of.b.data,
                 what.result,
                 asked.kind};
  return run_program(
      *on, vps, [&] { program.multiply_alone(all); }, [&](vp& me) { return program(me, all); });
}

namespace {

/// Tells whether all ranks have as many VPs.
bool alike(const distribution::rank_places& places) noexcept {
  return std::ranges::all_of(places,
                             [&](const auto& vps) { return vps.size() == places[0].size(); });
}

/// VPs of one rank that compute a part of C together.
struct node {
  std::size_t rank;
  std::size_t first;      ///< VP
  std::size_t index, of;  ///< which it is of how many of its rank
  rectangle c;            ///< if it has no elements, neither rows nor columns
};

/// Nodes of all ranks: one each, or, if not all ranks have as many VPs, one for each VP.
std::vector<node> nodes_of(const distribution::rank_rectangles& c,
                           const distribution::rank_places& places) {
  std::vector<node> nodes;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const rectangle all = c.of(rank);
    const std::size_t here = alike(places) ? 1 : places[rank].size();
    const distribution::rank_rectangles cut(all.rows.size(), all.columns.size(), here);
    for (std::size_t i = 0; i < here; ++i) {
      rectangle part = cut.of(i);
      part.rows = {part.rows.first + all.rows.first, part.rows.last + all.rows.first};
      part.columns = {part.columns.first + all.columns.first,
                      part.columns.last + all.columns.first};
      nodes.push_back({rank, places[rank].first + i, i, here, part.empty() ? rectangle{} : part});
    }
  }
  return nodes;
}

/// Factor that lies over ranks, as one of them sees it.
class rank_factor {
 public:
  rank_factor(const rank_matrix& matrix, matrix_op op)
      : all_(matrix.all), rank_(matrix.rank), op_(op), local_(matrix.local, op) {}

  /// Elements of op(matrix) that a rank has.
  [[nodiscard]] rectangle of(std::size_t rank) const noexcept { return turned(all_.of(rank)); }
  [[nodiscard]] bool has(const rectangle& elements) const noexcept {
    return of(rank_).covers(elements);
  }
  /// Part of those of this rank.
  [[nodiscard]] held_part held(const rectangle& elements) const noexcept {
    return {local_, corner_of(local_, local_.data, of(rank_), elements), elements};
  }
  /// Elements where they are, if this rank has all of them; else a copy, row by row of the matrix.
  [[nodiscard]] operand panel(const rectangle& elements, std::byte* copy) const {
    if (copy != nullptr) {
      const rectangle lying = turned(elements);
      return {window(copy, lying.rows.size(), lying.columns.size(), lying.columns.size(),
                     local_.element_bytes),
              op_};
    }
    operand there = local_;
    if (!elements.empty()) there.data = held(elements).corner;
    return there;
  }

 private:
  [[nodiscard]] rectangle turned(const rectangle& elements) const noexcept {
    return op_ == matrix_op::none ? elements : elements.transposed();
  }

  distribution::rank_rectangles all_;
  std::size_t rank_;
  matrix_op op_;
  operand local_;
};

/// Product over ranks, on one of them. Its first level are panels: the indices of the sum are cut
/// where ranks' parts of A or B end, and each piece into as many shares as there are steps. A step
/// has one share of each piece, so that in each step all ranks send: in one superstep it brings the
/// nodes' panels, which the recursion of one memory multiplies. C is written when no VP can fail
/// any more.
class rank_product {
 public:
  /// Multiplies by `each` VPs of each node, a power of two.
  rank_product(any_product& what, const rank_matrix& a, const rank_matrix& b, const rank_matrix& c,
               std::vector<interval<>> pieces, std::vector<node> nodes, std::size_t each,
               const request& asked)
      : product_(what),
        sides_{rank_factor(a, asked.op_a), rank_factor(b, asked.op_b)},
        c_(c.all.of(c.rank)),
        pieces_(std::move(pieces)),
        steps_(distribution::panel_steps(pieces_)),
        nodes_(std::move(nodes)),
        each_(each),
        kind_(asked.kind) {
    const auto mine = std::ranges::equal_range(nodes_, c.rank, {}, &node::rank);
    here_ = {mine.begin(), mine.end()};
    for (const interval<>& piece : pieces_) thickest_ = std::max(thickest_, thickness(piece));
    for (const node& one : here_)
      programs_.emplace_back(what,
                             block_size{one.c.rows.size(), one.c.columns.size(), thickest_, 0},
                             each, asked.in_rounds, one.first);
  }

  /// Takes its memory: for results, for panels that this rank does not have alone, and what the
  /// recursion needs.
  void lay_out(arena& in) {
    results_ = {in.array<std::byte>(c_.size() * product_.element_bytes), c_.columns.size()};
    copies_.clear();
    for (const node& one : here_) {
      for (const interval<>& piece : pieces_) {
        const cuboid whole{one.c.rows, one.c.columns, piece};
        const std::size_t thick = thickness(piece) * product_.element_bytes;
        const auto copy = [&](std::size_t side, std::size_t length) {
          return sides_[side].has(factor_of(whole, side)) ? nullptr
                                                          : in.array<std::byte>(length * thick);
        };
        copies_.push_back({copy(0, whole.rows.size()), copy(1, whole.columns.size())});
      }
    }
    for (matmul_program& one : programs_) one.lay_out(in);
  }

  /// Program of one VP.
  task<> operator()(vp& me) {
    const auto found =
        std::ranges::find_if(here_, [&](const node& one) { return me.rank() - one.first < each_; });
    const node* const mine = found == here_.end() ? nullptr : &*found;
    if (mine != nullptr && kind_ != onto::nothing) copy(me, *mine, product_.result, results_);
    onto kind = kind_;
    for (std::size_t step = 0; step < steps_; ++step) {
      if (mine != nullptr) lend_panels(me, *mine, step);
      co_await me.sync(0);
      if (mine == nullptr) continue;
      const std::vector<factors> panels = take_panels(me, *mine, step);
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        const cuboid whole = panel_problem(*mine, p, step);
        if (whole.inner.empty() && thickest_ > 0) continue;
        const part all{
            whole, &panels[p], panels[p].a.data, panels[p].b.data, part_of(results_, mine->c),
            kind};
        co_await programs_[mine->index](me, all);
        kind = onto::sum;
      }
    }
    co_await me.sync(0);
    if (mine != nullptr) copy(me, *mine, results_, product_.result);
  }

 private:
  [[nodiscard]] static rectangle factor_of(const cuboid& problem, std::size_t side) noexcept {
    return side == 0 ? problem.a() : problem.b();
  }
  [[nodiscard]] std::size_t thickness(const interval<>& piece) const noexcept {
    return (piece.size() + steps_ - 1) / steps_;
  }
  [[nodiscard]] cuboid panel_problem(const node& of, std::size_t piece, std::size_t step) const {
    return {of.c.rows, of.c.columns, pieces_[piece].share(step, steps_)};
  }
  /// Elements of a factor that the i-th VP of a node holds.
  [[nodiscard]] rectangle held(std::size_t side, const node& of, std::size_t i) const noexcept {
    const rectangle all = sides_[side].of(of.rank);
    return {all.rows.share(of.index * each_ + i, of.of * each_), all.columns};
  }

  /// Lends what this VP holds of the panels of all nodes.
  void lend_panels(vp& me, const node& mine, std::size_t step) const {
    const std::size_t i = me.rank() - mine.first;
    const std::array<held_part, 2> holds{sides_[0].held(held(0, mine, i)),
                                         sides_[1].held(held(1, mine, i))};
    for (const node& to : nodes_)
      for (std::size_t p = 0; p < pieces_.size(); ++p)
        for (std::size_t side = 0; side < 2; ++side)
          lend_shares(me, product_, holds[side], factor_of(panel_problem(to, p, step), side),
                      to.first, each_);
  }
  /// Takes this VP's share of its node's panels. Returns the panels, by pieces.
  [[nodiscard]] std::vector<factors> take_panels(vp& me, const node& mine, std::size_t step) const {
    const auto* const copies = &copies_[mine.index * pieces_.size()];
    std::vector<factors> panels;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const cuboid whole = panel_problem(mine, p, step);
      panels.push_back(
          {sides_[0].panel(whole.a(), copies[p][0]), sides_[1].panel(whole.b(), copies[p][1])});
    }
    for (const node& from : nodes_)
      for (std::size_t i = 0; i < each_; ++i)
        for (std::size_t p = 0; p < pieces_.size(); ++p)
          for (std::size_t side = 0; side < 2; ++side) {
            const rectangle whole = factor_of(panel_problem(mine, p, step), side);
            const rectangle share = share_of(whole, each_, me.rank() - mine.first);
            const rectangle piece = intersect(held(side, from, i), share);
            if (piece.empty()) continue;
            const std::optional<message> one = me.receive();
            assert(one);
            if (std::byte* const copy = copies[p][side]; copy != nullptr) {  // else it is there
              const operand& panel = side == 0 ? panels[p].a : panels[p].b;
              const std::byte* const corner = corner_of(panel, panel.data, whole, piece);
              copy_rows(product_.lent(*one), copy + (corner - panel.data),
                        panel.transposed ? panel.column_step : panel.row_step);
            }
          }
    return panels;
  }

  /// `stride` is in elements.
  static void copy_rows(const window& from, std::byte* to, std::size_t stride) {
    for (std::size_t i = 0; i < from.rows; ++i)
      std::copy_n(from.data + i * from.stride * from.element_bytes,
                  from.columns * from.element_bytes, to + i * stride * from.element_bytes);
  }

  [[nodiscard]] place part_of(const place& all, const rectangle& part) const noexcept {
    if (part.empty()) return all;
    return product_.at(all, part.rows.first - c_.rows.first, part.columns.first - c_.columns.first);
  }
  /// Copies this VP's share of the node's results.
  void copy(const vp& me, const node& mine, const place& from, const place& to) const {
    const rectangle share{mine.c.rows.share(me.rank() - mine.first, each_), mine.c.columns};
    copy_rows({part_of(from, share).c, share.rows.size(), share.columns.size(), from.leading,
               product_.element_bytes},
              part_of(to, share).c, to.leading);
  }

  const any_product& product_;
  std::array<rank_factor, 2> sides_;  ///< A and B
  rectangle c_;                       ///< of this rank
  std::vector<interval<>> pieces_;
  std::size_t steps_;
  std::size_t thickest_ = 0;  ///< the most indices of a panel
  std::vector<node> nodes_, here_;
  std::size_t each_;
  onto kind_;
  std::deque<matmul_program> programs_;            ///< of the nodes here
  std::vector<std::array<std::byte*, 2>> copies_;  ///< of the nodes here, for each piece
  place results_;
};

}  // namespace

run_report multiply_over_ranks(machine& on, any_product& what, const rank_matrix& a,
                               const rank_matrix& b, const rank_matrix& c, const request& asked) {
  constexpr const char* who = "matmul";
  const std::size_t rows = c.all.rows(), columns = c.all.columns();
  distribution::collective_call call(on, who, rows * columns, what.element_bytes, 0, 1, [&] {
    for (const rank_matrix* one : {&c, &a, &b})
      distribution::require_machine(on, who, "rectangle", one->rank, one->all.ranks(), "matrix");
  });
  if (call.alone())
    return call.own([&] { return multiply(on, who, what, a.local, b.local, c.local, asked); });
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
  distribution::agreed_words words{
      static_cast<std::uint64_t>(asked.op_a), static_cast<std::uint64_t>(asked.op_b),
      static_cast<std::uint64_t>(asked.kind), asked.in_rounds ? 1U : 0U, asked.vps.value_or(0)};
  auto next = std::ranges::copy(asked.scales, words.begin() + 5).out;
  for (const rank_matrix* one : {&a, &b, &c})
    for (const std::size_t length : {one->all.rows(), one->all.columns()}) *next++ = length;
  call.compare(words, "matmul: sizes or options");
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
    product.emplace(what, a, b, c, std::move(pieces), nodes_of(c.all, places), each, asked);
    arena::take(on, [&](arena& in) { product->lay_out(in); });
  });
  return call.run_again([&](vp& me, const distribution::rank_places&) -> task<> {
    if (product) co_await (*product)(me);  // else this rank's first VP throws why not
  });
}

}  // namespace pleat::detail::matmul
