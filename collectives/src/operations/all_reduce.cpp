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
    task<> agreed = agree(on, collective::all_reduce, arguments_of(in, by, options).writes(out));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (on.spread()) {
    const combining how{by.op, by.commutes, worth_gathering_sums(on, in.bytes(), options)};
    // Equal parts need but one block.
    const std::size_t blocks = options.blocks == 0
                                   ? 1
                                   : blocks_for("all_reduce", on.graph(), 0, in.size,
                                                options.blocks, {}, processes_of(on));
    on.begin(collective::all_reduce, digest(in.count, blocks, how.gathered ? 7 : 6), in.size);
    task<> work = all_reduce_in_levels(on, in.data, out.data, {in.size, in.count, blocks}, how,
                                       counted.traffic);
    co_await work;
    co_return;
  }
  // Whatever is chosen for more than two ranks combines in their order.
  const bool in_their_order = !by.commutes || (on.size() > 2 && options.blocks == 0);
  if (collects(on) && in_their_order) {
    on.begin(collective::all_reduce, digest(0, 0, 1), in.size);
    task<> work =
        in_order(on, ordered::all_reduce, 0, in.data, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  if (worth_gathering(on, in.bytes(), options)) {
    on.begin(collective::all_reduce, digest(in.count, 0, 2), in.size);
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
    on.begin(collective::all_reduce, digest(in.count, 0, 3), in.size);
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
  if (in_their_order) {
    on.begin(collective::all_reduce, digest(0, 0, 4), in.size);
    task<> work =
        in_order(on, ordered::all_reduce, 0, in.data, out.data, in.bytes(), by.op, counted.traffic);
    co_await work;
    co_return;
  }
  const layout parts = balanced_layout({in.size, in.count, 1}, on.size(), on.ends());
  const std::size_t blocks = blocks_for("all_reduce", on.graph(), parts.longest(on.size()), in.size,
                                        options.blocks, cost_of(on, options), on.size());
  on.begin(collective::all_reduce, digest(in.count, blocks, 5), in.size);
  const piece own = parts.part(on.rank());
  task<> reduced = all_reduce_parts(on, in.data, out.data + own.offset, parts, blocks, by.op,
                                    in.data == out.data, counted.traffic);
  co_await reduced;
  task<> gathered =
      all_broadcast(on, out.data + own.offset, out.data, parts, blocks, counted.traffic);
  co_await gathered;
}

}  // namespace pleat::detail
