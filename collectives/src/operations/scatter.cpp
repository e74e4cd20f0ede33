// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

namespace {

task<> scatter_checked(collective operation, endpoint& on, const_elements all, elements mine,
                       layout parts, const collective_options& options,
                       collective_traffic& traffic) {
  const std::string_view name = name_of(operation);
  const std::uint32_t root = checked_root(name, on, options);
  check_count(name, "the output", mine.count, parts.count(on.rank()));
  if (on.rank() == root) {
    check_count(name, "the root's input", all.count, parts.total(on.size()) / all.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  if (on.strict()) {
    call_arguments given = call_arguments{.parts = digest(parts), .root = root}.writes(mine);
    if (parts.ends.empty()) given.count = parts.each;
    if (on.rank() == root) given = given.reads(all);
    task<> agreed = agree(on, operation, given);
    co_await agreed;
  }
  on.begin(operation, digest(digest(parts), root), mine.size);
  task<> work = scatter_parts(on, root, all.data, parts, mine.data, traffic);
  co_await work;
}

}  // namespace

task<> run_scatter(vp& me, const_elements all, elements mine, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = same_parts_of("scatter", mine.count, mine.size, on);
  task<> work =
      scatter_checked(collective::scatter, on, all, mine, parts, options, counted.traffic);
  co_await work;
}

task<> run_scatter_v(vp& me, const_elements all, elements mine, counts of_ranks,
                     collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("scatter_v", of_ranks, mine.size, on, on.ends());
  task<> work =
      scatter_checked(collective::scatter_v, on, all, mine, parts, options, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
