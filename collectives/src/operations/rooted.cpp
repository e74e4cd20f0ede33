// SPDX-License-Identifier: Apache-2.0
// Scatter and gather.
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

task<> run_rooted(vp& me, bool gathers, const_elements in, elements out, collective_options options,
                  std::optional<counts> of_ranks) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const collective operation = gathers    ? of_ranks ? collective::gather_v : collective::gather
                               : of_ranks ? collective::scatter_v
                                          : collective::scatter;
  const std::string_view name = name_of(operation);
  const const_elements written{out.data, out.count, out.size};
  const const_elements mine = gathers ? in : written, all = gathers ? written : in;
  const layout parts = of_ranks ? parts_of(name, *of_ranks, in.size, on, on.ends())
                                : same_parts_of(name, mine.count, in.size, on);
  const std::uint32_t root = checked_root(name, on, options);
  const bool at_root = on.rank() == root;
  check_count(name, gathers ? "the input" : "the output", mine.count, parts.count(on.rank()));
  if (at_root) {
    check_count(name, gathers ? "the root's output" : "the root's input", all.count,
                parts.total(on.size()) / in.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  if (on.strict()) {
    call_arguments given{.parts = digest(parts), .root = root};
    if (parts.ends.empty()) given.count = parts.each;
    if (gathers || at_root) given = given.reads(in);
    if (!gathers || at_root) given = given.writes(out);
    task<> agreed = agree(on, operation, given);
    co_await agreed;
  }
  on.begin(operation, digest(digest(parts), root), in.size);
  task<> work = gathers ? gather_parts(on, root, in.data, out.data, parts, counted.traffic)
                        : scatter_parts(on, root, in.data, parts, out.data, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
