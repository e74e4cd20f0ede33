// SPDX-License-Identifier: Apache-2.0
// Reductions and scans.
#include <string_view>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "../engines/levels.hpp"
#include "agreement.hpp"
#include "checks.hpp"
#include "choice.hpp"

namespace pleat::detail {

namespace {

collective operation_of(ordered what, bool with_counts) noexcept {
  switch (what) {
    case ordered::reduce:
      return collective::reduce;
    case ordered::reduce_scatter:
      return with_counts ? collective::reduce_scatter_v : collective::reduce_scatter;
    case ordered::all_reduce:
      return collective::all_reduce;
    case ordered::scan:
      return collective::scan;
    case ordered::exclusive_scan:
      break;
  }
  return collective::exclusive_scan;
}

/// Number of blocks of messages, the same on all ranks; 0 if none are sent in blocks.
std::size_t blocks_of(std::string_view name, ordered what, engine by, endpoint& on,
                      const_elements in, const layout& parts, const collective_options& options) {
  const std::uint32_t processes = by == engine::levels ? processes_of(on) : on.size();
  const message_cost cost = cost_of(on, options);
  if (by == engine::rendezvous) return 0;
  switch (what) {
    case ordered::reduce:
      return blocks_between_processes(name, on, in.count, in.size, options, cost);
    case ordered::all_reduce:  // equal parts need but one
      return blocks_for(name, on.graph(), 0, in.size, options.blocks, cost, processes);
    case ordered::reduce_scatter: {
      // So do those of processes, as the parts of all travel in each round; what the longest has
      // more than others is divided.
      const std::size_t longer =
          by == engine::levels ? longest_of_processes(parts, on.in_levels()) - in.count / processes
                               : 0;
      return blocks_for(name, circulant_graph(processes), longer, in.size, options.blocks, cost,
                        processes);
    }
    case ordered::scan:
    case ordered::exclusive_scan:
      break;
  }
  return 0;
}

/// Reduces on the circulant graph of ranks of one process.
task<> combine_in_blocks(endpoint& on, ordered what, std::uint32_t root, const_elements in,
                         elements out, layout parts, std::size_t blocks, combiner op,
                         collective_traffic& traffic) {
  if (what == ordered::reduce) {
    std::byte* const sum = on.rank() == root ? out.data : on.scratch(in.bytes());
    return reduce_blocks(on, root, in.data, sum, {in.size, in.count, blocks}, op, traffic);
  }
  if (what == ordered::reduce_scatter)
    return all_reduce_parts(on, in.data, out.data, parts, blocks, op, true, traffic);
  return all_reduce_blocks(on, in.data, out.data, {in.size, in.count, blocks}, op, traffic);
}

}  // namespace

task<> run_combine(vp& me, ordered what, const_elements in, elements out, combiner op,
                   collective_options options, std::optional<counts> of_ranks) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const collective operation = operation_of(what, of_ranks.has_value());
  const std::string_view name = name_of(operation);
  const bool scatters = what == ordered::reduce_scatter;
  const bool scans = what == ordered::scan || what == ordered::exclusive_scan;
  const std::uint32_t root = what == ordered::reduce ? checked_root(name, on, options) : 0;
  const schedule_form asked = scans ? schedule_form{} : checked_form(name, options);
  const bool gets_result = what != ordered::reduce || on.rank() == root;
  layout parts{};
  if (scatters) {
    parts = of_ranks ? parts_of(name, *of_ranks, in.size, on, on.ends())
                     : equal_parts_of(name, in.count, in.size, on);
    check_count(name, "the input", in.count, parts.total(on.size()) / in.size);
    check_count(name, "the output", out.count, parts.count(on.rank()));
    check_apart(name, out.data, out.bytes(), in.data, in.bytes(),
                in.data + parts.part(on.rank()).offset);
  } else if (gets_result) {
    check_count(name, "the output", out.count, in.count);
    check_apart(name, in.data, in.bytes(), out.data, out.bytes(), out.data);
  }
  if (on.size() == 1) {
    if (what != ordered::exclusive_scan) copy(out.data, in.data, in.bytes(), counted.traffic);
    co_return;
  }
  const std::uint32_t digest_of_parts = scatters ? digest(parts) : 0;
  if (on.strict()) {
    const call_arguments given{.count = in.count,
                               .parts = digest_of_parts,
                               .root = root,
                               .blocks = options.blocks,
                               .form = asked,
                               .in_order = !op.commutes};
    task<> agreed = agree(
        on, operation, given.reads(in).writes(gets_result ? out : elements{nullptr, 0, in.size}));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  const engine by = engine_for(operation, on, options.blocks != 0 && op.commutes);
  combining how{op, false, 0};
  if (by == engine::levels && !scans) how = combining_of(on, op, in.bytes(), options);
  how.gathered = how.gathered && !(op.commutes && asked.has_trees());
  const auto equal_parts = [&] {
    if (what == ordered::all_reduce) return op.commutes || !how.gathered;
    return scatters && op.commutes &&
           longest_of_processes(parts, on.in_levels()) * processes_of(on) == in.count;
  };
  const schedule_form form = op.commutes || asked.along == collective_schedule::automatic
                                 ? form_of(by, asked, on, options, equal_parts)
                                 : schedule_form{};
  const std::size_t blocks =
      form.has_trees() ? 1 : blocks_of(name, what, by, on, in, parts, options);
  how.form = form;
  // A rendezvous compares sizes itself.
  const std::size_t sizes = by == engine::rendezvous ? digest_of_parts : digest_of_parts + in.count;
  const std::size_t chosen =
      form.digest(2 * blocks + how.gathered) + how.radix * std::size_t{0xd6e8feb86659fd93};
  on.begin(operation, digest(root ^ sizes, chosen, by), in.size);
  task<> work = by == engine::rendezvous ? collected_combine(on, what, root, in.data, out.data,
                                                             in.bytes(), parts, op, counted.traffic)
                : by == engine::circulant
                    ? combine_in_blocks(on, what, root, in, out, parts, blocks, op, counted.traffic)
                : scans
                    ? scan_in_levels(on, in.data, out.data, in.bytes(),
                                     what == ordered::exclusive_scan, op, counted.traffic)
                    : reduce_in_levels(on, what, root, in.data, out.data,
                                       {in.size, in.count, blocks}, parts, how, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
