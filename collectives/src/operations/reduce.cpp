// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "algorithm_choice.hpp"
#include "checks.hpp"
#include "combining.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

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
    task<> agreed =
        agree(on, collective::reduce, arguments_of(in, by, options, root).writes(written));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (on.spread()) {
    const std::size_t blocks =
        blocks_between_processes("reduce", on, in.count, in.size, options, cost_of_sums(options));
    const combining how{by.op, by.commutes, worth_gathering_sums(on, in.bytes(), options)};
    on.begin(collective::reduce, digest(root, blocks, how.gathered ? 3 : 2), in.size);
    task<> work = reduce_in_levels(on, root, in.data, out.data, {in.size, in.count, blocks}, how,
                                   counted.traffic);
    co_await work;
    co_return;
  }
  const bool together = on.size() == 2 && options.blocks == 0 && in.bytes() > worth_splitting;
  if (!by.commutes || together || worth_slicing(on, in.bytes(), options)) {
    on.begin(collective::reduce, digest(root, 0, 1), in.size);
    task<> work =
        in_order(on, ordered::reduce, root, in.data, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks =
      blocks_for("reduce", on.graph(), in.count, in.size, options.blocks, cost_of(on, options));
  on.begin(collective::reduce, digest(root, blocks), in.size);
  std::byte* const sum = at_root ? out.data : on.scratch(in.bytes());
  task<> work =
      reduce_blocks(on, root, in.data, sum, {in.size, in.count, blocks}, by.op, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
