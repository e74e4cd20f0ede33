// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "algorithm_choice.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

namespace {

/// Copies input that others are to read while we write there, if the operation is in place.
const std::byte* readable_source(endpoint& on, const_elements in, const elements& out,
                                 collective_traffic& traffic) {
  if (in.data != out.data || in.bytes() == 0) return in.data;
  std::byte* const kept = on.scratch(in.bytes());
  copy(kept, in.data, in.bytes(), traffic);
  return kept;
}

}  // namespace

task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options,
                      std::optional<counts> sent, std::optional<counts> received) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t size = on.size();
  const bool equal = !sent;
  const collective operation = equal ? collective::all_to_all : collective::all_to_all_v;
  const std::string_view name = name_of(operation);
  std::vector<std::size_t> ends_in, ends_out;
  layout from, to;
  if (equal) {
    check_count(name, "the output", out.count, in.count);
    from = to = equal_parts_of(name, in.count, in.size, on);
  } else {
    from = parts_of(name, *sent, in.size, on, ends_in);
    to = parts_of(name, *received, out.size, on, ends_out);
    check_count(name, "the input", in.count, from.ends.back());
    check_count(name, "the output", out.count, to.ends.back());
    check_count(name, "what a rank receives from itself", to.count(on.rank()),
                from.count(on.rank()));
  }
  check_apart(name, in.data, in.bytes(), out.data, out.bytes(), out.data);
  if (options.ports == 0)
    refuse(name, "0 ports send nothing; give 1 or more in collective_options::ports");
  if (options.radix != 0 && (options.radix < 2 || options.radix > std::max(2u, size)))
    refuse(name, "a radix of " + std::to_string(options.radix) + " makes no sense for " +
                     std::to_string(size) + " ranks; give one from 2 to their number");
  if (on.strict()) {
    const call_arguments given{
        .count = equal ? in.count : 0, .radix = options.radix, .ports = options.ports};
    task<> agreed = agree(on, operation, given.reads(in).writes(out));
    co_await agreed;
  }
  if (equal && in.bytes() == 0) co_return;
  if (size == 1) {
    copy(out.data, in.data, in.bytes(), counted.traffic);
    co_return;
  }
  const engine by = engine_for(operation, on, false, options.radix != 0 && options.radix < size);
  // Ranks that are processes of their own and know all sizes need not tell them.
  const bool by_index = by == engine::index || (equal && by == engine::levels && !has_levels(on));
  const std::size_t bytes = in.bytes() / size;
  const message_cost cost = cost_of(on, options);
  unsigned radix = options.radix;
  if (by_index && radix == 0)  // rings between all of many ranks would take too much memory
    radix = size > 256 ? 16 : cheapest_radix(size, options.ports, bytes, cost, 1);
  on.begin(operation, digest(options.ports, radix, by), in.size);
  const std::byte* const source = readable_source(on, in, out, counted.traffic);
  task<> work =
      by == engine::rendezvous ? collected_exchange(on, source, from, out.data, to, counted.traffic)
      : by_index ? index_blocks(on, source, out.data, bytes, radix, options.ports, counted.traffic)
                 : exchange_in_levels(on, source, from, out.data, to,
                                      {options.radix, options.ports, cost}, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
