// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

namespace {

task<> gather_checked(collective operation, endpoint& on, const_elements mine, elements all,
                      layout parts, const collective_options& options,
                      collective_traffic& traffic) {
  const std::string_view name = name_of(operation);
  const std::uint32_t root = checked_root(name, on, options);
  check_count(name, "the input", mine.count, parts.count(on.rank()));
  if (on.rank() == root) {
    check_count(name, "the root's output", all.count, parts.total(on.size()) / all.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  if (on.strict()) {
    call_arguments given = call_arguments{.parts = digest(parts), .root = root}.reads(mine);
    if (parts.ends.empty()) given.count = parts.each;
    if (on.rank() == root) given = given.writes(all);
    task<> agreed = agree(on, operation, given);
    co_await agreed;
  }
  on.begin(operation, digest(digest(parts), root), mine.size);
  task<> work = gather_parts(on, root, mine.data, all.data, parts, traffic);
  co_await work;
}

}  // namespace

task<> run_gather(vp& me, const_elements mine, elements all, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = same_parts_of("gather", mine.count, mine.size, on);
  task<> work = gather_checked(collective::gather, on, mine, all, parts, options, counted.traffic);
  co_await work;
}

task<> run_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                    collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("gather_v", of_ranks, mine.size, on, on.ends());
  task<> work =
      gather_checked(collective::gather_v, on, mine, all, parts, options, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
