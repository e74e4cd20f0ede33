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
    task<> agreed = agree(on, operation, arguments_of(in, by, options).writes(out));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (on.spread()) {
    on.begin(operation, digest(in.count, 0, 3), in.size);
    task<> work =
        scan_in_levels(on, in.data, out.data, in.bytes(), exclusive, by.op, counted.traffic);
    co_await work;
    co_return;
  }
  if (!collects(on) && worth_gathering(on, in.bytes(), options)) {
    on.begin(operation, digest(in.count, 0, 1), in.size);
    const std::size_t last = on.rank() + (exclusive ? 0u : 1u);
    task<> work = gather_and(
        on, in,
        [&](std::byte* all) { add_up(by.op, out.data, all, in.bytes(), last, counted.traffic); },
        counted.traffic);
    co_await work;
    co_return;
  }
  on.begin(operation, digest(0, 0, 2), in.size);
  task<> work = in_order(on, exclusive ? ordered::exclusive_scan : ordered::scan, 0, in.data,
                         out.data, in.bytes(), by.op, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
