// SPDX-License-Identifier: Apache-2.0
#include "matrix_xml.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <new>
#include <system_error>

#include <hwloc.h>

#include <pleat/runtime/error.hpp>

#include "hwloc_machine.hpp"

namespace pleat::bench {
namespace {

constexpr double nanoseconds = 1e9;
constexpr double megabytes = 1e-6;
constexpr double mebibytes = 1.0 / (1 << 20);

[[noreturn]] void refused(const std::string& what) {
  throw environment_error("hwloc refuses " + what + ": " + std::generic_category().message(errno));
}

hwloc_uint64_t whole(double value) { return static_cast<hwloc_uint64_t>(std::llround(value)); }

class bitmap {
 public:
  explicit bitmap(const std::vector<unsigned>& indexes) : set_(hwloc_bitmap_alloc()) {
    if (set_ == nullptr) throw std::bad_alloc();
    for (const unsigned index : indexes) hwloc_bitmap_set(set_, index);
  }
  bitmap(const bitmap&) = delete;
  bitmap& operator=(const bitmap&) = delete;
  ~bitmap() { hwloc_bitmap_free(set_); }

  [[nodiscard]] hwloc_bitmap_t get() const { return set_; }

 private:
  hwloc_bitmap_t set_;
};

hwloc_obj_t node_object(hwloc_topology_t machine, unsigned numa) {
  const hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(machine, numa);
  if (node == nullptr) refused("NUMA node " + std::to_string(numa));
  return node;
}

hwloc_memattr_id_t loaded_latency(hwloc_topology_t machine) {
  hwloc_memattr_id_t id = 0;
  const unsigned long flags = HWLOC_MEMATTR_FLAG_LOWER_FIRST | HWLOC_MEMATTR_FLAG_NEED_INITIATOR;
  if (hwloc_memattr_register(machine, "LoadedLatency", flags, &id) != 0)
    refused("the attribute LoadedLatency");
  return id;
}

void add_attribute(hwloc_topology_t machine, hwloc_memattr_id_t attribute,
                   const measured_machine& measured, const measured_matrix& matrix, double factor) {
  const auto from = measured.initiators(), to = measured.targets();
  for (std::size_t row = 0; row < from.size(); ++row) {
    const bitmap pus(from[row].pus);
    hwloc_location initiator{};
    initiator.type = HWLOC_LOCATION_TYPE_CPUSET;
    initiator.location.cpuset = pus.get();
    for (std::size_t column = 0; column < to.size(); ++column) {
      const auto& cell = matrix.at(row, column);
      if (!cell) continue;
      if (hwloc_memattr_set_value(machine, attribute, node_object(machine, to[column].numa),
                                  &initiator, 0, whole(cell->median * factor)) != 0)
        refused("a value of " + matrix.name);
    }
  }
}

// Adds distances. Those of a processor with itself are not measured: they are 0.
void add_distances(hwloc_topology_t machine, const char* name, unsigned long meaning,
                   std::vector<hwloc_obj_t> objects, const measured_matrix& matrix, double factor) {
  const std::size_t count = objects.size();
  if (count < 2) return;
  std::vector<hwloc_uint64_t> values;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < count; ++column) {
      const auto& cell = matrix.at(row, column);
      const bool itself = matrix.symmetric && row == column;
      if (!cell && !itself) return;
      values.push_back(cell ? whole(cell->median * factor) : 0);
    }
  }
  const auto handle =
      hwloc_distances_add_create(machine, name, HWLOC_DISTANCES_KIND_FROM_USER | meaning, 0);
  if (handle == nullptr ||
      hwloc_distances_add_values(machine, handle, static_cast<unsigned>(count), objects.data(),
                                 values.data(), 0) != 0 ||
      hwloc_distances_add_commit(machine, handle, 0) != 0)
    refused(std::string("the distances ") + name);
}

std::vector<hwloc_obj_t> pu_objects(hwloc_topology_t machine, const measured_machine& measured) {
  std::vector<hwloc_obj_t> objects;
  for (const unsigned pu : measured.pus()) {
    objects.push_back(hwloc_get_pu_obj_by_os_index(machine, pu));
    if (objects.back() == nullptr) refused("PU " + std::to_string(pu));
  }
  return objects;
}

// The nodes, if they are rows and columns alike: hwloc's distances are square.
std::vector<hwloc_obj_t> node_objects(hwloc_topology_t machine, const measured_machine& measured) {
  const auto is_both = [](const measured_node& node) {
    return !node.pus.empty() && node.read_bytes != 0;
  };
  std::vector<hwloc_obj_t> objects;
  if (!std::ranges::all_of(measured.nodes, is_both)) return objects;
  for (const auto& node : measured.nodes) objects.push_back(node_object(machine, node.numa));
  return objects;
}

std::string exported(hwloc_topology_t machine) {
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(machine, &text, &length, 0) != 0) refused("to write XML");
  const std::string result(text);  // the length counts the final zero
  hwloc_free_xmlbuffer(machine, text);
  return result;
}

}  // namespace

std::string matrix_xml(const measured_machine& measured, const std::string& synthetic) {
  const auto loaded = load_hwloc(synthetic);
  const hwloc_topology_t machine = loaded.get();
  const auto nodes = node_objects(machine, measured);
  for (const auto& matrix : measured.matrices) {
    if (matrix.name == "line_latency") {
      add_distances(machine, "PleatLineLatency", HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                    pu_objects(machine, measured), matrix, nanoseconds);
    } else if (matrix.name == "read_bandwidth") {
      add_attribute(machine, HWLOC_MEMATTR_ID_BANDWIDTH, measured, matrix, mebibytes);
      add_distances(machine, "PleatNumaBandwidth", HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH, nodes,
                    matrix, megabytes);
    } else if (matrix.name == "read_latency") {
      add_attribute(machine, HWLOC_MEMATTR_ID_LATENCY, measured, matrix, nanoseconds);
      add_distances(machine, "PleatNumaLatency", HWLOC_DISTANCES_KIND_MEANS_LATENCY, nodes, matrix,
                    nanoseconds);
    } else if (matrix.name == "loaded_latency") {
      add_attribute(machine, loaded_latency(machine), measured, matrix, nanoseconds);
    }
  }
  return exported(machine);
}

}  // namespace pleat::bench
