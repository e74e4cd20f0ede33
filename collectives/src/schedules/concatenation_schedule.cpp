// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat {
namespace {

std::size_t divide_up(std::size_t a, std::size_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Entries first … end − 1 in parts of `size`.
concatenation_schedule::round parts(std::size_t first, std::size_t end, std::size_t size,
                                    std::size_t units) {
  concatenation_schedule::round result;
  for (std::size_t start = first; start < end; start += size) {
    result.push_back({start / units, start, std::min(size, end - start)});
    if (end - start <= size) break;
  }
  return result;
}

}  // namespace

std::vector<concatenation_transfer> equal_parts(std::size_t held, std::size_t processors,
                                                std::size_t units, std::size_t ports) {
  assert(held > 0 && held < processors && units > 0 && ports > 0);
  const std::size_t first = held * units, end = processors * units;
  auto result = parts(first, end, divide_up(end - first, ports), units);
  const bool fit = std::ranges::all_of(result, [&](const concatenation_transfer& one) {
    return (one.first + one.size - 1) / units - one.offset < held;
  });
  if (!fit) result.clear();
  return result;
}

concatenation_schedule::concatenation_schedule(std::size_t processors, std::size_t units,
                                               std::size_t ports, concatenation_goal goal) {
  if (processors == 0 || units == 0 || ports == 0)
    throw usage_error("a concatenation of " + std::to_string(processors) + " processors, " +
                      std::to_string(units) + " units a block, " + std::to_string(ports) +
                      " ports: there must be at least one of each");
  if (processors > std::numeric_limits<std::size_t>::max() / units)
    throw usage_error("a concatenation of " + std::to_string(processors) + " blocks of " +
                      std::to_string(units) + " units: choose a larger unit");
  if (processors == 1) return;
  ports = std::min(ports, (processors - 1) * units);  // a port without a unit is of no use

  std::size_t held = 1;
  while (held < divide_up(processors, ports + 1)) {
    round growing;
    for (std::size_t port = 1; port <= ports; ++port)
      growing.push_back({port * held, port * held * units, held * units});
    rounds_.push_back(std::move(growing));
    held += ports * held;
  }

  auto last = equal_parts(held, processors, units, ports);
  const std::size_t first = held * units, end = processors * units;
  if (!last.empty()) {
    rounds_.push_back(std::move(last));
  } else if (goal == concatenation_goal::volume && held > 1) {
    const std::size_t whole = (held - 1) * units;  // parts of whole blocks; then what remains
    const std::size_t rest = first + ports * whole;
    rounds_.push_back(parts(first, rest, whole, units));
    rounds_.push_back(parts(rest, end, divide_up(end - rest, ports), units));
  } else {
    rounds_.push_back(parts(first, end, held * units, units));
  }
}

std::size_t concatenation_schedule::volume() const noexcept {
  std::size_t sum = 0;
  for (const auto& transfers : rounds_) {
    std::size_t largest = 0;
    for (const auto& one : transfers) largest = std::max(largest, one.size);
    sum += largest;
  }
  return sum;
}

}  // namespace pleat
