// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstddef>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>

#include "base/names.hpp"

namespace pleat {

namespace {

using policy = placement_request::policy;

constexpr unsigned largest_pu = 1u << 20;  // ranges are written out; no kernel has more

constexpr detail::names<policy, 5> policies{{
    {"compact", policy::compact},
    {"spread", policy::spread},
    {"scatter", policy::scatter},
    {"p-cores", policy::p_cores},
    {"e-cores", policy::e_cores},
}};

std::optional<unsigned> number(std::string_view text) {
  return detail::parse_number<unsigned>(text);
}

std::string quoted(std::string_view text) {
  std::string result(1, '"');
  result += text;
  result += '"';
  return result;
}

[[noreturn]] void reject(std::string_view text, const std::string& why) {
  throw usage_error(
      "placement " + quoted(text) + ": " + why +
      "; known are compact, spread, scatter, numa:N, p-cores, e-cores, unpinned (each also with "
      "/pu) and list:0,2-5");
}

std::vector<unsigned> parse_list(std::string_view whole, std::string_view text) {
  std::vector<unsigned> pus;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t dash = item.find('-');
    const auto first = number(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
    if (!first || !last || *last < *first || *last > largest_pu)
      reject(whole, quoted(item) + " is no PU index and no range of them");
    for (unsigned pu = *first; pu <= *last; ++pu) pus.push_back(pu);
    if (pus.size() > largest_pu) reject(whole, "too many PUs");
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::vector<unsigned> sorted = pus;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) reject(whole, "PU " + std::to_string(*twice) + " is listed twice");
  return pus;
}

}  // namespace

placement_request parse_placement(std::string_view text) {
  placement_request request;
  std::string_view rest = text;
  if (rest.starts_with("list:")) {
    request.how = policy::list;
    request.list = parse_list(text, rest.substr(5));
    return request;
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    if (rest.substr(slash) != "/pu") reject(text, quoted(rest.substr(slash)) + " is not /pu");
    request.every_pu = true;
    rest = rest.substr(0, slash);
  }
  if (const auto known = detail::named(policies, rest)) {
    request.how = *known;
  } else if (rest == "unpinned") {
    throw usage_error(
        "placement " + quoted(text) +
        ": workers that the kernel places are machine_options::workers = pleat::workers::free");
  } else if (rest.starts_with("numa:")) {
    const auto node = number(rest.substr(5));
    if (!node) reject(text, quoted(rest.substr(5)) + " is no NUMA node's index");
    request.how = policy::numa;
    request.numa = *node;
  } else {
    reject(text, "no such policy");
  }
  return request;
}

std::string to_string(const placement_request& request) {
  std::string text(detail::name_of(policies, request.how));
  for (const unsigned pu : request.how == policy::list ? request.list : std::vector<unsigned>())
    text += (text.empty() ? "list:" : ",") + std::to_string(pu);
  if (request.how == policy::numa) text = "numa:" + std::to_string(request.numa);
  return request.every_pu && request.how != policy::list ? text + "/pu" : text;
}

unsigned parse_processors(std::string_view text) {
  const auto count = number(text);
  if (!count || *count == 0 || *count > max_processors)
    throw usage_error("number of processors " + quoted(text) + ": give one from 1 to " +
                      std::to_string(max_processors) +
                      ", or none to use every core this process may use");
  return *count;
}

namespace {

// Slot for workers: the allowed PUs of a core, or a single PU. Every slot gets a worker before any
// slot gets a second one. PUs are positions in topology::units().
using slot = std::vector<std::size_t>;

std::string pu_names(const topology& machine, bool allowed_only) {
  std::vector<unsigned> pus;
  for (const processing_unit& unit : machine.units())
    if (unit.allowed || !allowed_only) pus.push_back(unit.pu);
  std::sort(pus.begin(), pus.end());
  return to_index_list(pus);
}

std::string causes(const topology& machine) {
  std::string text;
  for (const restriction& limit : machine.restrictions()) {
    if (limit.cause == restriction::by::quota) continue;
    text += text.empty() ? "" : " and ";
    text += to_string(limit.cause);
  }
  return text;
}

std::vector<slot> listed_slots(const topology& machine, const std::vector<unsigned>& pus) {
  if (pus.empty()) throw usage_error("an empty list of PUs was asked for: name at least one");
  std::vector<unsigned> sorted = pus;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw usage_error("a PU is listed twice in " + to_string({policy::list, false, 0, pus}));
  std::vector<slot> slots;
  for (const unsigned pu : pus) {
    const auto position = machine.find_pu(pu);
    if (!position)
      throw no_such_place("PU " + std::to_string(pu) + " does not exist: this machine has " +
                          pu_names(machine, false));
    if (!machine.units()[*position].allowed)
      throw environment_error("PU " + std::to_string(pu) + " is not allowed by " + causes(machine) +
                              ": this process may use " + pu_names(machine, true));
    slots.push_back({*position});
  }
  return slots;
}

void require_node(const topology& machine, unsigned node) {
  const auto nodes = machine.numa_nodes();
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end())
    throw no_such_place("NUMA node " + std::to_string(node) +
                        " has no cores or does not exist: nodes with cores are " +
                        to_index_list(nodes));
}

void require_kinds(const topology& machine) {
  if (machine.kinds() < 2)
    throw environment_error(
        "this machine has one kind of core (or does not tell them apart): ask for compact instead "
        "of e-cores");
}

bool chosen(const topology& machine, const processing_unit& unit, const placement_request& wish) {
  if (!unit.allowed) return false;
  switch (wish.how) {
    case policy::numa:
      return unit.numa == wish.numa;
    case policy::p_cores:
      return unit.kind + 1 == machine.kinds();
    case policy::e_cores:
      return unit.kind == 0;
    case policy::compact:
    case policy::spread:
    case policy::scatter:
    case policy::list:
      break;
  }
  return true;
}

// Lists the chosen PUs in the order of the tree, with the PUs of a core in one slot, unless each PU
// has its own.
std::vector<slot> slots_in_tree_order(const topology& machine, const placement_request& wish) {
  if (wish.how == policy::numa) require_node(machine, wish.numa);
  if (wish.how == policy::e_cores) require_kinds(machine);
  std::vector<slot> slots;
  const auto units = machine.units();
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!chosen(machine, units[i], wish)) continue;
    const bool same_core = !slots.empty() && units[slots.back().front()].core == units[i].core;
    if (same_core && !wish.every_pu) {
      slots.back().push_back(i);
    } else {
      slots.push_back({i});
    }
  }
  if (slots.empty())
    throw environment_error("no allowed core fits the placement " + to_string(wish) + " (" +
                            machine.summary() + "): this process may use PUs " +
                            pu_names(machine, true));
  return slots;
}

// Orders slots round robin over the children of every object, whose own slots are spread in the
// same way.
class spreader {
 public:
  explicit spreader(const topology& machine)
      : objects_(machine.objects()), children_(objects_.size()) {
    for (std::size_t i = 1; i < objects_.size(); ++i) children_[objects_[i].parent].push_back(i);
  }

  std::vector<slot> operator()(std::span<const slot> slots, std::size_t object = 0) const {
    if (slots.size() <= 1) return {slots.begin(), slots.end()};
    std::vector<std::vector<slot>> parts;
    for (const std::size_t child : children_[object]) {
      const std::size_t end = objects_[child].first + objects_[child].size;
      const auto stop = std::find_if(slots.begin(), slots.end(),
                                     [end](const slot& s) { return s.front() >= end; });
      const auto count = static_cast<std::size_t>(stop - slots.begin());
      parts.push_back((*this)(slots.first(count), child));
      slots = slots.subspan(count);
    }
    std::vector<slot> order;
    bool more = true;
    for (std::size_t round = 0; more; ++round) {
      more = false;
      for (const auto& part : parts) {
        if (round >= part.size()) continue;
        order.push_back(part[round]);
        more = true;
      }
    }
    return order;
  }

 private:
  std::span<const topology_object> objects_;
  std::vector<std::vector<std::size_t>> children_;
};

bool contains(std::span<const unsigned> pus, unsigned pu) {
  return std::find(pus.begin(), pus.end(), pu) != pus.end();
}

// Finds the beginning of the row of `wanted` slots with the fewest taken slots. Of equal rows it is
// the first that begins at a multiple of `wanted`, else the first.
std::size_t least_taken_row(const topology& machine, std::span<const slot> slots,
                            std::size_t wanted, std::span<const unsigned> taken) {
  std::vector<std::size_t> before(slots.size() + 1, 0);  // taken slots before this one
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool busy = std::any_of(slots[i].begin(), slots[i].end(), [&](std::size_t unit) {
      return contains(taken, machine.units()[unit].pu);
    });
    before[i + 1] = before[i] + (busy ? 1 : 0);
  }
  const auto busy_in = [&](std::size_t first) { return before[first + wanted] - before[first]; };
  std::size_t best = 0;
  for (const std::size_t step : {wanted, std::size_t{1}})
    for (std::size_t first = 0; first + wanted <= slots.size(); first += step)
      if (busy_in(first) < busy_in(best)) best = first;
  return best;
}

// Counts the workers of each PU of each slot: one to the first PU of every slot in order, then to
// the second PUs, …, and again from the start while workers are left.
std::vector<std::vector<unsigned>> workers_of_each_pu(const std::vector<slot>& slots,
                                                      unsigned workers) {
  std::vector<std::vector<unsigned>> count;
  std::size_t threads = 0;
  for (const slot& s : slots) {
    count.emplace_back(s.size(), 0u);
    threads = std::max(threads, s.size());
  }
  while (workers > 0)
    for (std::size_t thread = 0; thread < threads; ++thread)
      for (std::size_t i = 0; i < slots.size() && workers > 0; ++i)
        if (thread < slots[i].size()) {
          ++count[i][thread];
          --workers;
        }
  return count;
}

std::string oversubscription(const topology& machine, bool shared, unsigned workers,
                             std::size_t pus) {
  const std::string start = std::to_string(workers) + " processors ";
  if (shared)
    return start + "share " + std::to_string(pus) + (pus == 1 ? " PU" : " PUs") +
           ": a thread on each carries out all of its processors' work, which makes nothing "
           "faster; "
           "ask for at most " +
           std::to_string(pus) + ", or none for one per core";
  if (machine.quota() && workers > machine.quota()->processors())
    return start + "run on a CPU quota of " + std::to_string(machine.quota()->processors()) + " (" +
           machine.quota()->source +
           "): the kernel will stop them in turn, and every barrier waits; ask for at most " +
           std::to_string(machine.quota()->processors()) + " or raise the quota";
  return {};
}

}  // namespace

placement place(const topology& machine, const placement_request& request,
                std::optional<unsigned> processors, std::span<const unsigned> taken) {
  if (processors == 0u)
    throw usage_error(
        "0 processors asked for: leave the number out to use every core, or give 1 "
        "or more");
  if (processors && *processors > max_processors)
    throw usage_error(std::to_string(*processors) + " processors asked for: at most " +
                      std::to_string(max_processors) +
                      " workers; virtual processors are what there can be more of");
  std::vector<slot> slots = request.how == policy::list ? listed_slots(machine, request.list)
                                                        : slots_in_tree_order(machine, request);
  if (request.how == policy::spread || request.how == policy::scatter)
    slots = spreader(machine)(slots);

  unsigned workers = processors.value_or(static_cast<unsigned>(slots.size()));
  if (!processors && request.how != policy::list && machine.quota())
    workers = std::min(workers, machine.quota()->processors());
  if (workers < slots.size() && request.how != policy::list) {
    const auto first = slots.begin() +
                       static_cast<std::ptrdiff_t>(least_taken_row(machine, slots, workers, taken));
    slots = std::vector<slot>(first, first + workers);
  }
  if (request.how == policy::spread) std::sort(slots.begin(), slots.end());

  placement result;
  bool shared = false;
  std::size_t pus = 0;
  const auto count = workers_of_each_pu(slots, workers);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (std::size_t thread = 0; thread < slots[i].size(); ++thread) {
      const processing_unit& unit = machine.units()[slots[i][thread]];
      ++pus;
      shared = shared || count[i][thread] > 1;
      for (unsigned k = 0; k < count[i][thread]; ++k) {
        const auto rank = static_cast<unsigned>(result.processors.size());
        result.processors.push_back({rank, unit.core, unit.pu, unit.numa, unit.package});
        if (k == 0 && contains(taken, unit.pu)) result.contended.push_back(unit.pu);
      }
    }
  }
  assert(result.processors.size() == workers);
  std::sort(result.contended.begin(), result.contended.end());
  result.warning = oversubscription(machine, shared, workers, pus);
  result.oversubscribed = !result.warning.empty();
  return result;
}

}  // namespace pleat
