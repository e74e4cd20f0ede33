// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: all ranks know the operator alike. If it does not commute, elements are
// combined in the order of ranks.
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <pleat/collectives/detail/layout.hpp>

#include "data/elements.hpp"
#include "data/held.hpp"
#include "engines/engines.hpp"
#include "errors/errors.hpp"
#include "operations/operations.hpp"

namespace pleat::preloaded {

namespace {

// Types of MPI 3.1, section 5.9.2, by what they are. An MPI without Fortran has some of them as
// MPI_DATATYPE_NULL, which is never asked for.
bool among(std::initializer_list<MPI_Datatype> types, MPI_Datatype type) {
  return std::ranges::find(types, type) != types.end();
}
bool is_integer(MPI_Datatype type) {
  return among({MPI_INT,         MPI_LONG,          MPI_SHORT,         MPI_UNSIGNED_SHORT,
                MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG,
                MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,        MPI_INT16_T,
                MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,       MPI_UINT16_T,
                MPI_UINT32_T,    MPI_UINT64_T,      MPI_INTEGER,       MPI_AINT,
                MPI_OFFSET,      MPI_COUNT,         MPI_INTEGER4,      MPI_INTEGER8},
               type);
}
bool is_floating(MPI_Datatype type) {
  return among({MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4,
                MPI_REAL8},
               type);
}
bool is_complex(MPI_Datatype type) {
  return among({MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                MPI_C_LONG_DOUBLE_COMPLEX},
               type);
}
bool is_truth(MPI_Datatype type) { return among({MPI_LOGICAL, MPI_C_BOOL}, type); }
bool is_pair(MPI_Datatype type) {
  return among({MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
                MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER},
               type);
}

/// Tells whether it is certain that the MPI applies this operator to elements of this type. The
/// MPI's own operators: with the types the standard names for them, and no derived ones. The
/// program's: with every type. For all others the MPI does the work, or says what is wrong.
bool applies(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) return false;
  if (op == MPI_MAX || op == MPI_MIN) return is_integer(type) || is_floating(type);
  if (op == MPI_SUM || op == MPI_PROD)
    return is_integer(type) || is_floating(type) || is_complex(type);
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return is_integer(type) || is_truth(type);
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR)
    return is_integer(type) || type == MPI_BYTE;
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return is_pair(type);
  return true;
}

/// Tells whether an operator commutes. Throws: mpi_failure.
bool commutes(MPI_Op op) {
  int commutative = 0;
  check(PMPI_Op_commutative(op, &commutative));
  return commutative != 0;
}

/// Tells whether the call is carried out here, with `total` elements of which a message has up to
/// `ranks` single ones.
bool is_ours(const communicator& on, const reduction& call, std::size_t total, std::size_t ranks) {
  constexpr std::size_t largest = std::size_t{1} << 29;
  const std::size_t size = side{nullptr, 1, call.type}.bytes();
  return size != 0 && size <= largest / ranks && on.chosen().ours(call.what, total * size) &&
         applies(call.op, call.type);
}

/// Returns the input's buffer. One buffer for both sides, of which not all ranks know, is in place
/// where the MPI takes it: Open MPI. MPICH has an error.
const void* input(const void* from, [[maybe_unused]] const void* to) {
#ifdef OPEN_MPI
  if (from == to) return MPI_IN_PLACE;
#endif
  return from;
}

/// Returns the number of blocks of `total` elements whose longest part is `longest`.
std::size_t blocks_of(const communicator& on, const reduction& call, std::size_t total,
                      std::size_t longest, std::size_t size) {
  return best_blocks(on.chosen(), call.what, {total * size, longest * size}, on.size(), longest);
}

/// Returns the counts of almost equal parts for all ranks.
std::vector<std::size_t> equal_counts(std::size_t total, std::size_t ranks) {
  std::vector<std::size_t> counts(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    counts[r] = detail::block_split{1, total, ranks}.at(r).bytes;
  return counts;
}

/// Combines this rank's part of all ranks' elements in the order of ranks.
task combine_in_order(communicator& on, const reduction& call, elements in, elements own,
                      std::span<const std::size_t> counts) {
  const element_type& of = in.of();
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  return reduce_parts_in_order(on, call.what, in, own, counts, {call.op, &of},
                               on.with().radix(total * of.size / on.size() + 1));
}

/// Returns the number of elements before a rank's part.
std::ptrdiff_t before(std::span<const std::size_t> counts, std::uint32_t rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::ptrdiff_t{0});
}

/// Type and operator of a reduction, which its work uses.
class kept_reduction {
 public:
  kept_reduction(const communicator& on, const reduction& call) : of(call.type), op_(call.op) {
    if (!on.blocks()) use_.emplace(op_);
  }

  [[nodiscard]] combining op() const noexcept { return {op_, &of}; }

  element_type of;

 private:
  MPI_Op op_;
  std::optional<held_op> use_;
};

}  // namespace

plan reduce_call(communicator& on, const reduction& call, const void* from, void* to,
                 MPI_Count count, int root) {
  const bool at_root = on.is(root);
  const side given{from, count, call.type};
  const side result{to, count, call.type};
  if (!on.has(root) || (at_root ? result : given).in_place() || (at_root && from == to) ||
      !given.is_valid() || (at_root && !result.is_valid())) {
    return {};
  }
  const auto number = static_cast<std::size_t>(count);
  if (!is_ours(on, call, number, 1)) return {};
  auto kept = std::make_shared<const kept_reduction>(on, call);
  std::optional<element_memory> sums;
  if (!at_root) sums.emplace(number, kept->of);
  const elements sum = at_root ? elements(to, kept->of) : sums->get();
  const elements in = given.in_place() ? sum : elements(from, kept->of);
  const auto at = static_cast<std::uint32_t>(root);
  if (commutes(call.op)) {
    const std::size_t blocks = blocks_of(on, call, number, number, kept->of.size);
    return [&on, kept, sums = std::move(sums), call, at, in, sum, number, blocks] {
      return reduce(on, call.what, at, in, sum, number, kept->op(), blocks);
    };
  }
  std::vector<std::size_t> counts = equal_counts(number, on.size());
  typed_parts parts(sum, counts);
  return [&on, kept, sums = std::move(sums), call, at, in, sum, counts = std::move(counts),
          parts = std::move(parts)]() -> task {
    const elements own = sum.from(before(counts, on.rank()));
    const task combined = combine_in_order(on, call, in, own, counts);
    co_await combined;
    parts.pack(on.rank(), on);
    const task gathered = gather_parts(on, call.what, at, parts.get()[on.rank()], parts.get());
    co_await gathered;
    if (on.rank() == at) parts.unpack(on);
  };
}

plan allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count) {
  const side given{input(from, to), count, call.type};
  const side result{to, count, call.type};
  if (result.in_place() || given.buffer == to || !given.is_valid() || !result.is_valid()) return {};
  const auto number = static_cast<std::size_t>(count);
  if (!is_ours(on, call, number, on.size())) return {};
  auto kept = std::make_shared<const kept_reduction>(on, call);
  const elements sum(to, kept->of);
  const elements in = given.in_place() ? sum : elements(from, kept->of);
  std::vector<std::size_t> counts = equal_counts(number, on.size());
  const std::size_t blocks = blocks_of(on, call, number, counts.front(), kept->of.size);
  typed_parts parts(sum, counts);
  return [&on, kept, call, in, sum, blocks, in_any_order = commutes(call.op),
          counts = std::move(counts), parts = std::move(parts)]() -> task {
    const elements own = sum.from(before(counts, on.rank()));
    const task combined = in_any_order
                              ? reduce_parts(on, call.what, in, sum, counts, kept->op(), blocks)
                              : combine_in_order(on, call, in, own, counts);
    co_await combined;
    parts.pack(on.rank(), on);
    const task gathered = all_broadcast(on, call.what, parts.get(), blocks);
    co_await gathered;
    parts.unpack(on);
  };
}

plan reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const std::size_t> counts) {
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t mine = counts[on.rank()];
  const side given{from, static_cast<MPI_Count>(total), call.type};
  const side result{to, static_cast<MPI_Count>(mine), call.type};
  if (result.in_place() || !given.is_valid() || !result.is_valid()) return {};
  if (!is_ours(on, call, total, on.size())) return {};
  auto kept = std::make_shared<const kept_reduction>(on, call);
  const elements out(to, kept->of);
  const elements in = given.in_place() ? out : elements(from, kept->of);
  std::vector<std::size_t> all(counts.begin(), counts.end());
  if (!commutes(call.op)) {
    return [&on, kept, call, in, out, all = std::move(all)] {
      return combine_in_order(on, call, in, out, all);
    };
  }
  const std::size_t blocks = blocks_of(on, call, total, std::ranges::max(counts), kept->of.size);
  element_memory sums(total, kept->of);
  return [&on, kept, call, in, out, blocks, mine, all = std::move(all),
          sums = std::move(sums)]() -> task {
    const task combined = reduce_parts(on, call.what, in, sums.get(), all, kept->op(), blocks);
    co_await combined;
    sums.get().from(before(all, on.rank())).copy_to(mine, out, on);
  };
}

plan scan(communicator& on, const reduction& call, const void* from, void* to, MPI_Count count) {
  const bool inclusive = call.what == operation::scan;
  const bool has_result = inclusive || on.rank() > 0;
  const side given{input(from, to), count, call.type};
  const side result{to, count, call.type};
  if (!given.is_valid() || (has_result && result.in_place()) || given.buffer == to ||
      ((has_result || given.in_place()) && !result.is_valid())) {
    return {};
  }
  const auto number = static_cast<std::size_t>(count);
  if (!is_ours(on, call, number, 1)) return {};
  auto kept = std::make_shared<const kept_reduction>(on, call);
  const elements out(to, kept->of);
  const elements in = given.in_place() ? out : elements(from, kept->of);
  const bool in_place = given.in_place();
  if (inclusive) {
    return [&on, kept, call, in_place, in, out, number] {
      if (!in_place) in.copy_to(number, out, on);
      return scan_up_to(on, call.what, out, number, kept->op());
    };
  }
  element_memory own(in_place ? number : 0, kept->of);
  return [&on, kept, call, in_place, in, out, number, own = std::move(own)] {
    if (in_place) in.copy_to(number, own.get(), on);
    return scan_before(on, call.what, in_place ? own.get() : in, out, number, kept->op());
  };
}

}  // namespace pleat::preloaded
