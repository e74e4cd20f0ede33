// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>
#include <pleat/collectives/index_schedule.hpp>

#include "agreement.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

namespace {

/// Copies input that others are to read while we write there, if the operation is in place.
const std::byte* readable_source(endpoint& on, const_elements in, const elements& out,
                                 collective_traffic& traffic) {
  if (in.data != out.data || in.bytes() == 0) return in.data;
  std::byte* const copy = on.scratch(in.bytes());
  copy_own(copy, in.data, in.bytes(), traffic);
  return copy;
}

void check_ports_and_radix(std::string_view operation, std::size_t size,
                           const collective_options& options) {
  if (options.ports == 0)
    refuse(operation, "0 ports send nothing; give 1 or more in collective_options::ports");
  if (options.radix != 0 && (options.radix < 2 || options.radix > std::max<std::size_t>(2, size)))
    refuse(operation, "a radix of " + std::to_string(options.radix) + " makes no sense for " +
                          std::to_string(size) + " ranks; give one from 2 to their number");
}

/// The radix of an index operation, or `size` where sending directly takes less time: its blocks
/// are not copied twice more by each rank, on their way into the messages and out of them.
std::size_t cheapest_radix(const endpoint& on, std::size_t bytes,
                           const collective_options& options) {
  const std::size_t size = on.size();
  if (on.spread() && size >= many_ranks) return 16;  // rings between all would take too much memory
  const message_cost cost = cost_of(on, options);
  const std::size_t radix = best_index_radix(size, options.ports, bytes, cost);
  if (radix >= size) return size;
  const index_schedule schedule(size, radix, options.ports);
  const double block = static_cast<double>(bytes) * cost.per_byte;
  const auto rounds = static_cast<double>(schedule.rounds());
  const auto moved = static_cast<double>(2 * size + 2 * schedule.volume());
  const auto others = static_cast<double>(size - 1);
  const double by_index = rounds * cost.start + moved * block;
  const double direct = std::ceil(others / options.ports) * cost.start + others * block;
  return by_index < direct ? radix : size;
}

}  // namespace

task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  check_count("all_to_all", "the output", out.count, in.count);
  const layout parts = equal_parts_of("all_to_all", in.count, in.size, on);
  check_apart("all_to_all", in.data, in.bytes(), out.data, out.bytes(), out.data);
  const std::size_t size = on.size(), bytes = parts.each * in.size;
  check_ports_and_radix("all_to_all", size, options);
  if (on.strict()) {
    const call_arguments given{.count = in.count, .radix = options.radix, .ports = options.ports};
    task<> agreed = agree(on, collective::all_to_all, given.reads(in).writes(out));
    co_await agreed;
  }
  if (bytes == 0) co_return;
  if (collects(on) && options.radix == 0) {
    on.begin(collective::all_to_all, digest(bytes, 0, 1), in.size);
    const std::byte* const from = readable_source(on, in, out, counted.traffic);
    task<> work = collected_exchange(on, from, parts, out.data, parts, counted.traffic);
    co_await work;
    co_return;
  }
  if (has_levels(on)) {
    on.begin(collective::all_to_all, digest(digest(bytes, 0, 2), options.ports, options.radix),
             in.size);
    const std::byte* const from = readable_source(on, in, out, counted.traffic);
    const exchange_options how{options.radix, options.ports, cost_of(on, options)};
    task<> work = exchange_in_levels(on, from, parts, out.data, parts, how, counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t radix = size <= 2            ? 2
                            : options.radix != 0 ? options.radix
                                                 : cheapest_radix(on, bytes, options);
  on.begin(collective::all_to_all, digest(options.ports, radix), in.size);
  if (radix < size && size > 2) {
    task<> work = index_blocks(on, in.data, out.data, bytes, static_cast<unsigned>(radix),
                               options.ports, counted.traffic);
    co_await work;
    co_return;
  }
  const std::byte* const from = readable_source(on, in, out, counted.traffic);
  task<> work = exchange_parts(on, from, parts, out.data, parts, counted.traffic);
  co_await work;
}

task<> run_all_to_all_v(vp& me, const_elements in, elements out, counts sent, counts received,
                        collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  std::vector<std::size_t> ends_in, ends_out;
  const layout from = parts_of("all_to_all_v", sent, in.size, on, ends_in);
  const layout to = parts_of("all_to_all_v", received, out.size, on, ends_out);
  check_count("all_to_all_v", "the input", in.count, from.ends.back());
  check_count("all_to_all_v", "the output", out.count, to.ends.back());
  check_count("all_to_all_v", "what a rank receives from itself", to.count(on.rank()),
              from.count(on.rank()));
  check_ports_and_radix("all_to_all_v", on.size(), options);
  check_apart("all_to_all_v", in.data, in.bytes(), out.data, out.bytes(), out.data);
  if (on.strict()) {
    const call_arguments given{.radix = options.radix, .ports = options.ports};
    task<> agreed = agree(on, collective::all_to_all_v, given.reads(in).writes(out));
    co_await agreed;
  }
  on.begin(collective::all_to_all_v, digest(options.ports, options.radix), in.size);
  const std::byte* const source = readable_source(on, in, out, counted.traffic);
  if (on.spread()) {
    const exchange_options how{options.radix, options.ports, cost_of(on, options)};
    task<> work = exchange_in_levels(on, source, from, out.data, to, how, counted.traffic);
    co_await work;
    co_return;
  }
  task<> work = collects(on) ? collected_exchange(on, source, from, out.data, to, counted.traffic)
                             : exchange_parts(on, source, from, out.data, to, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
