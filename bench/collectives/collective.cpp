// SPDX-License-Identifier: Apache-2.0
#include "collective.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace pleat::bench {
namespace {

constexpr std::array operations{
    operation::broadcast,  operation::scatter,        operation::gather,
    operation::all_gather, operation::all_gather_v,   operation::all_to_all,
    operation::reduce,     operation::reduce_scatter, operation::reduce_scatter_v,
    operation::all_reduce, operation::scan,
};
constexpr std::array<std::string_view, operations.size()> operation_names{
    "broadcast", "scatter",        "gather",           "all_gather", "all_gather_v", "all_to_all",
    "reduce",    "reduce_scatter", "reduce_scatter_v", "all_reduce", "scan",
};
constexpr std::array spreads{spread::regular, spread::irregular, spread::degenerate, spread::spike};
constexpr std::array<std::string_view, spreads.size()> spread_names{"regular", "irregular",
                                                                    "degenerate", "spike"};

template <class Value, std::size_t N>
std::optional<Value> named(const std::array<Value, N>& values,
                           const std::array<std::string_view, N>& names, std::string_view name) {
  const auto place = std::ranges::find(names, name);
  if (place == names.end()) return std::nullopt;
  return values[static_cast<std::size_t>(place - names.begin())];
}

bool needs_equal_shares(operation what) {
  switch (what) {
    case operation::scatter:
    case operation::gather:
    case operation::all_gather:
    case operation::all_to_all:
    case operation::reduce_scatter:
      return true;
    default:
      return false;
  }
}

std::size_t element_bytes(operation what) { return combines(what) ? sizeof(double) : 1; }

// Element `rank` of `total` divided as evenly as whole elements allow.
std::size_t even_share(std::size_t total, std::size_t ranks, std::size_t rank) {
  return total * (rank + 1) / ranks - total * rank / ranks;
}

}  // namespace

std::span<const operation> all_operations() { return operations; }
std::span<const spread> all_spreads() { return spreads; }
std::string_view name_of(operation what) {
  return operation_names[static_cast<std::size_t>(std::ranges::find(operations, what) -
                                                  operations.begin())];
}
std::string_view name_of(spread how) {
  return spread_names[static_cast<std::size_t>(std::ranges::find(spreads, how) - spreads.begin())];
}
std::optional<operation> operation_named(std::string_view name) {
  return named(operations, operation_names, name);
}
std::optional<spread> spread_named(std::string_view name) {
  return named(spreads, spread_names, name);
}

bool combines(operation what) {
  switch (what) {
    case operation::reduce:
    case operation::reduce_scatter:
    case operation::reduce_scatter_v:
    case operation::all_reduce:
    case operation::scan:
      return true;
    default:
      return false;
  }
}

bool takes_counts(operation what) {
  return what == operation::all_gather_v || what == operation::reduce_scatter_v;
}

std::optional<std::string> fault_of(const collective& one, std::size_t ranks) {
  const std::string name(name_of(one.what));
  const std::size_t unit = element_bytes(one.what) * (needs_equal_shares(one.what) ? ranks : 1);
  if (one.bytes == 0 || one.bytes % unit != 0) {
    return name + " on " + std::to_string(ranks) + " ranks needs a positive multiple of " +
           std::to_string(unit) + " bytes, not " + std::to_string(one.bytes);
  }
  constexpr std::size_t most = std::numeric_limits<int>::max();  // MPI counts in int
  if (one.bytes / element_bytes(one.what) > most) {
    return name + " takes at most " + std::to_string(most) + " elements";
  }
  if (one.how != spread::regular && !takes_counts(one.what)) {
    return name + " has equal shares; only all_gather_v and reduce_scatter_v can be " +
           std::string(name_of(one.how));
  }
  return std::nullopt;
}

std::vector<std::size_t> counts_of(const collective& one, std::size_t ranks) {
  const std::size_t total = one.bytes / element_bytes(one.what);
  std::vector<std::size_t> counts(ranks, 0);
  switch (one.how) {
    case spread::regular:
      for (std::size_t r = 0; r < ranks; ++r) counts[r] = even_share(total, ranks, r);
      break;
    case spread::irregular: {
      const std::size_t parts = ranks * (ranks + 1) / 2;
      std::size_t before = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t upto = before + ranks - r;
        counts[r] = total * upto / parts - total * before / parts;
        before = upto;
      }
      break;
    }
    case spread::degenerate:
      counts[0] = total;
      break;
    case spread::spike:
      counts[0] = ranks == 1 ? total : total / 2;
      for (std::size_t r = 1; r < ranks; ++r)
        counts[r] = even_share(total - counts[0], ranks - 1, r - 1);
      break;
  }
  return counts;
}

}  // namespace pleat::bench
