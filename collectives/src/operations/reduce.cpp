// SPDX-License-Identifier: Apache-2.0
// Operations that combine data: reductions and scans.
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "checks.hpp"
#include "choices.hpp"
#include "counting.hpp"

namespace pleat::detail {

namespace {

/// What all ranks bring, to each of them, and `use` of it there: part r is what rank r has brought.
template <class Use>
task<> gather_and(endpoint& on, const_elements in, Use use, collective_traffic& traffic) {
  const layout parts{in.size, in.count};
  std::byte* const all = on.scratch(parts.total(on.size()));
  task<> told = all_broadcast(on, in.data, all, parts, 1, traffic);
  co_await told;
  use(all);
}

/// The sum of ranks first … last − 1 of what was gathered.
void add_up(const combiner& op, std::byte* out, std::byte* all, std::size_t bytes, std::size_t last,
            collective_traffic& traffic) {
  if (last == 0 || bytes == 0) return;
  // Where the first part lies: `out` gets nothing but the result.
  for (std::size_t rank = 1; rank < last; ++rank) op(all, all, all + rank * bytes, bytes);
  std::memcpy(out, all, bytes);
  traffic.copies += last;
}

void check_same_count(std::string_view operation, const_elements in, elements out) {
  check_count(operation, "the output", out.count, in.count);
  check_apart(operation, in.data, in.bytes(), out.data, out.bytes(), out.data);
}

/// In the order of the ranks, which is an order for operators that commute, too.
task<> in_order(endpoint& on, ordered what, std::uint32_t root, const std::byte* in, std::byte* out,
                std::size_t bytes, const combiner& op, collective_traffic& traffic,
                const layout& parts = {}) {
  return on.size() >= many_ranks
             ? collected_combine(on, what, root, in, out, bytes, parts, op, traffic)
             : ordered_combine(on, what, root, in, out, bytes, parts, op, traffic);
}

claim claim_of(const_elements in, const reduction& by, const collective_options& options,
               std::size_t root = 0) {
  return claim{.count = in.count, .root = root, .blocks = options.blocks, .in_order = !by.commutes}
      .reads(in);
}

/// All ranks' parts as equal as whole elements can be.
layout balanced(endpoint& on, std::size_t count, std::size_t element) {
  std::vector<std::size_t>& ends = on.ends();
  ends.clear();
  const block_split split{1, count, on.size()};
  for (std::size_t rank = 0; rank < on.size(); ++rank) {
    const piece part = split.at(rank);
    ends.push_back(part.offset + part.bytes);
  }
  return {element, 0, ends};
}

}  // namespace

task<> run_reduce(vp& me, const_elements in, elements out, reduction by,
                  collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t root = checked_root("reduce", on, options);
  const bool at_root = on.rank() == root;
  if (at_root) check_same_count("reduce", in, out);
  if (on.size() == 1) {
    copy_own(out.data, in.data, in.bytes(), counted.traffic);
    co_return;
  }
  if (on.strict()) {
    const elements written = at_root ? out : elements{nullptr, 0, in.size};
    task<> agreed = agree(on, collective::reduce, claim_of(in, by, options, root).writes(written));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  const bool together = on.size() == 2 && options.blocks == 0 && in.bytes() > worth_splitting;
  if (!by.commutes || together) {
    on.begin(collective::reduce, choices(root, 0, 1));
    task<> work =
        in_order(on, ordered::reduce, root, in.data, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks = blocks_for("reduce", on, in.count, in.size, options);
  on.begin(collective::reduce, choices(root, blocks));
  std::byte* const sum = at_root ? out.data : on.scratch(in.bytes());
  task<> work =
      reduce_blocks(on, root, in.data, sum, {in.size, in.count, blocks}, by.op, counted.traffic);
  co_await work;
}

task<> run_all_reduce(vp& me, const_elements in, elements out, reduction by,
                      collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  check_same_count("all_reduce", in, out);
  if (on.size() == 1) {
    copy_own(out.data, in.data, in.bytes(), counted.traffic);
    co_return;
  }
  if (on.strict()) {
    task<> agreed = agree(on, collective::all_reduce, claim_of(in, by, options).writes(out));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (on.size() >= many_ranks && (options.blocks == 0 || !by.commutes)) {
    on.begin(collective::all_reduce, choices(0, 0, 1));
    task<> work =
        in_order(on, ordered::all_reduce, 0, in.data, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  if (worth_gathering(on, in.bytes(), options)) {
    on.begin(collective::all_reduce, choices(in.count, 0, 2));
    task<> work = gather_and(
        on, in,
        [&](std::byte* all) {
          add_up(by.op, out.data, all, in.bytes(), on.size(), counted.traffic);
        },
        counted.traffic);
    co_await work;
    co_return;
  }
  if (worth_combining_directly(on, in.bytes(), options)) {
    on.begin(collective::all_reduce, choices(in.count, 0, 3));
    // Others may not be in place: all do the same. They read `in` while we write `out`.
    const std::byte* from = in.data;
    if (in.data == out.data) {
      std::byte* const copy = on.scratch(in.bytes());
      copy_own(copy, in.data, in.bytes(), counted.traffic);
      from = copy;
    }
    task<> work = combine_directly(on, from, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  if (!by.commutes) {
    on.begin(collective::all_reduce, choices(0, 0, 4));
    task<> work =
        in_order(on, ordered::all_reduce, 0, in.data, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  const layout parts = balanced(on, in.count, in.size);
  const std::size_t blocks =
      blocks_for("all_reduce", on, parts.longest(on.size()), in.size, options, on.size());
  on.begin(collective::all_reduce, choices(in.count, blocks, 5));
  const piece own = parts.part(on.rank());
  task<> reduced = all_reduce_parts(on, in.data, out.data + own.offset, parts, blocks, by.op,
                                    in.data == out.data, counted.traffic);
  co_await reduced;
  task<> gathered =
      all_broadcast(on, out.data + own.offset, out.data, parts, blocks, counted.traffic);
  co_await gathered;
}

namespace {

task<> reduce_scatter_parts(collective operation, endpoint& on, const_elements in, elements out,
                            layout parts, reduction by, const collective_options& options,
                            collective_traffic& traffic) {
  const std::string_view name = name_of(operation);
  check_count(name, "the output", out.count, parts.count(on.rank()));
  check_apart(name, out.data, out.bytes(), in.data, in.bytes(),
              in.data + parts.part(on.rank()).offset);
  if (on.size() == 1) {
    copy_own(out.data, in.data, in.bytes(), traffic);
    co_return;
  }
  if (on.strict()) {
    claim said = claim_of(in, by, options);
    said.parts = choices(parts);
    task<> agreed = agree(on, operation, said.writes(out));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (!by.commutes || (on.size() >= many_ranks && options.blocks == 0)) {
    on.begin(operation, choices(choices(parts), 0, 1));
    task<> work = in_order(on, ordered::reduce_scatter, 0, in.data, out.data, in.bytes(), by.op,
                           traffic, parts);
    co_await work;
    co_return;
  }
  const std::size_t blocks =
      blocks_for(name, on, parts.longest(on.size()), in.size, options, on.size());
  on.begin(operation, choices(choices(parts), blocks));
  task<> work = all_reduce_parts(on, in.data, out.data, parts, blocks, by.op, true, traffic);
  co_await work;
}

}  // namespace

task<> run_reduce_scatter(vp& me, const_elements in, elements out, reduction by,
                          collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = equal_parts_of("reduce_scatter", in.count, in.size, on);
  task<> work = reduce_scatter_parts(collective::reduce_scatter, on, in, out, parts, by, options,
                                     counted.traffic);
  co_await work;
}

task<> run_reduce_scatter_v(vp& me, const_elements in, elements out, reduction by,
                            collective_options options, counts of_ranks) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("reduce_scatter_v", of_ranks, in.size, on, on.ends());
  check_count("reduce_scatter_v", "the input", in.count, parts.ends.back());
  task<> work = reduce_scatter_parts(collective::reduce_scatter_v, on, in, out, parts, by, options,
                                     counted.traffic);
  co_await work;
}

task<> run_scan(vp& me, const_elements in, elements out, reduction by, collective_options options,
                bool exclusive) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  check_same_count(exclusive ? "exclusive_scan" : "scan", in, out);
  if (on.size() == 1) {
    if (!exclusive) copy_own(out.data, in.data, in.bytes(), counted.traffic);
    co_return;
  }
  const collective operation = exclusive ? collective::exclusive_scan : collective::scan;
  if (on.strict()) {
    task<> agreed = agree(on, operation, claim_of(in, by, options).writes(out));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (on.size() < many_ranks && worth_gathering(on, in.bytes(), options)) {
    on.begin(operation, choices(in.count, 0, 1));
    const std::size_t last = on.rank() + (exclusive ? 0u : 1u);
    task<> work = gather_and(
        on, in,
        [&](std::byte* all) { add_up(by.op, out.data, all, in.bytes(), last, counted.traffic); },
        counted.traffic);
    co_await work;
    co_return;
  }
  on.begin(operation, choices(0, 0, 2));
  task<> work = in_order(on, exclusive ? ordered::exclusive_scan : ordered::scan, 0, in.data,
                         out.data, in.bytes(), by.op, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
