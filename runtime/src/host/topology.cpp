// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <exception>
#include <vector>

#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "base/process_defaults.hpp"
#include "host/binding.hpp"
#include "host/topology_snapshot.hpp"

namespace pleat {
namespace {

std::string plural(unsigned count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string quota_reason(const cpu_quota& quota) {
  char share[32];
  std::snprintf(share, sizeof share, "%.2f",
                static_cast<double>(quota.runtime_us) / static_cast<double>(quota.period_us));
  return quota.source + " grants " + share +
         " processors; rounded down, as a throttled worker holds up every barrier";
}

void apply_quota(topology::snapshot& data, std::optional<cpu_quota> quota) {
  data.quota = std::move(quota);
  if (!data.quota) return;
  const unsigned limit = data.quota->processors();
  if (limit >= data.allowed_pus) return;
  data.restrictions.push_back({restriction::by::quota, std::min(data.allowed_cores, limit), limit,
                               quota_reason(*data.quota)});
}

std::size_t position(const topology& on, unsigned node) {
  const auto nodes = on.memory_nodes();
  const auto found = std::ranges::lower_bound(nodes, node, {}, &numa_node::index);
  if (found == nodes.end() || found->index != node)
    throw usage_error("there is no NUMA node " + std::to_string(node) + ": " + on.origin() +
                      " has " + to_string(nodes));
  return static_cast<std::size_t>(found - nodes.begin());
}

constexpr std::array<std::string_view, 5> kind_names{"unknown", "dram", "hbm", "cxl", "nvm"};
constexpr std::array<std::string_view, 3> cause_names{"cpuset", "affinity", "quota"};

// Without a topology programs are only slower; machines report why there is none.
std::size_t look_up_cache_bytes() noexcept {
  constexpr std::size_t usual = std::size_t{1} << 25;
  if (detail::defaults.cache_bytes != 0) return detail::defaults.cache_bytes;
  try {
    const std::size_t told = topology::host().cache_bytes();
    return told != 0 ? told : usual;
  } catch (const std::exception&) {
    return usual;
  }
}

}  // namespace

std::size_t detail::cache_bytes() noexcept {
  static constinit std::atomic<std::size_t> known{0};
  std::size_t bytes = known.load(std::memory_order_relaxed);
  if (bytes == 0) known.store(bytes = look_up_cache_bytes(), std::memory_order_relaxed);
  return bytes;
}

topology topology::load_host(const std::string& root) {
  snapshot data = detail::read_host(detail::affinity::current());
  apply_quota(data, read_cpu_quota(root));
  return topology(std::make_shared<const snapshot>(std::move(data)));
}

topology topology::host() {
  static constinit detail::made_once<topology> once;
  return once.get([] {
    snapshot data = detail::read_host(detail::process_affinity());
    apply_quota(data, read_cpu_quota("/"));
    return topology(std::make_shared<const snapshot>(std::move(data)));
  });
}

topology topology::synthetic(std::string_view description) {
  return topology(
      std::make_shared<const snapshot>(detail::read_synthetic(std::string(description))));
}

topology topology::xml(const std::string& file) {
  return topology(std::make_shared<const snapshot>(detail::read_xml(file)));
}

bool topology::bindable() const noexcept { return data_->bindable; }
const std::string& topology::origin() const noexcept { return data_->origin; }

std::span<const processing_unit> topology::units() const noexcept { return data_->units; }
std::span<const topology_object> topology::objects() const noexcept { return data_->objects; }

unsigned topology::cores() const noexcept { return data_->cores; }
unsigned topology::pus() const noexcept { return static_cast<unsigned>(data_->units.size()); }
unsigned topology::packages() const noexcept { return data_->packages; }
std::size_t topology::cache_bytes() const noexcept { return data_->cache_bytes; }
unsigned topology::allowed_cores() const noexcept { return data_->allowed_cores; }
unsigned topology::allowed_pus() const noexcept { return data_->allowed_pus; }
unsigned topology::kinds() const noexcept { return data_->kinds; }

std::span<const unsigned> topology::numa_nodes() const noexcept { return data_->numa_nodes; }
std::span<const numa_node> topology::memory_nodes() const noexcept { return data_->memory_nodes; }

std::optional<unsigned> topology::distance(unsigned from, unsigned to) const {
  return data_->distances[position(*this, from) * memory_nodes().size() + position(*this, to)];
}

bool topology::is_local(unsigned from, unsigned to) const {
  const auto& nodes = data_->memory_nodes;
  return nodes[position(*this, from)].object == nodes[position(*this, to)].object;
}

const std::optional<cpu_quota>& topology::quota() const noexcept { return data_->quota; }

unsigned topology::available() const noexcept {
  const unsigned cores = data_->allowed_cores;
  return data_->quota ? std::min(cores, data_->quota->processors()) : cores;
}

std::span<const restriction> topology::restrictions() const noexcept { return data_->restrictions; }

std::string topology::summary() const {
  std::string text = plural(cores(), "core", "cores");
  if (pus() != cores()) text += " (" + std::to_string(pus()) + " PUs)";
  const char* verb = " allowed";
  for (const restriction& limit : restrictions()) {
    text += ", " + std::to_string(limit.cores) + verb + " by ";
    text += to_string(limit.cause);
    verb = "";
  }
  return text;
}

std::size_t topology::common_object(std::size_t a, std::size_t b) const {
  const auto& tree = data_->objects;
  assert(a < tree.size() && b < tree.size());
  while (tree[a].depth > tree[b].depth) a = tree[a].parent;
  while (tree[b].depth > tree[a].depth) b = tree[b].parent;
  while (a != b) {
    a = tree[a].parent;
    b = tree[b].parent;
  }
  return a;
}

std::optional<std::size_t> topology::find_pu(unsigned pu) const noexcept {
  const auto& units = data_->units;
  const auto found = std::find_if(units.begin(), units.end(),
                                  [pu](const processing_unit& unit) { return unit.pu == pu; });
  if (found == units.end()) return std::nullopt;
  return static_cast<std::size_t>(found - units.begin());
}

std::string topology::library() { return detail::topology_library(); }

std::string_view to_string(restriction::by cause) noexcept {
  return cause_names[static_cast<std::size_t>(cause)];
}

std::string_view to_string(memory_kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string to_string(std::span<const numa_node> nodes) {
  std::string text;
  for (auto first = nodes.begin(); first != nodes.end();) {
    std::vector<unsigned> alike;
    const memory_kind kind = first->kind;
    for (; first != nodes.end() && first->kind == kind; ++first) alike.push_back(first->index);
    text += (text.empty() ? "" : ", ") + to_index_list(alike);
    if (kind != memory_kind::unknown) text.append(" (").append(to_string(kind)).append(")");
  }
  return text;
}

std::string to_index_list(std::span<const unsigned> indexes) {
  assert(std::is_sorted(indexes.begin(), indexes.end()));
  std::string text;
  for (std::size_t i = 0; i < indexes.size();) {
    std::size_t last = i;
    while (last + 1 < indexes.size() && indexes[last + 1] == indexes[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(indexes[i]);
    if (last > i) {
      text += '-';
      text += std::to_string(indexes[last]);
    }
    i = last + 1;
  }
  return text;
}

}  // namespace pleat
