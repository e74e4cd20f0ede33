// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_xml.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <hwloc.h>
#include <hwloc/distances.h>
#include <hwloc/memattrs.h>

#include "matrix_machine.hpp"

namespace matrix_xml_test {

using pleat::bench::matrix_xml;

/// The machine as any program reads it from the XML.
class read_back {
 public:
  explicit read_back(const std::string& xml) {
    hwloc_topology_init(&machine_);
    read_ = hwloc_topology_set_xmlbuffer(machine_, xml.c_str(), static_cast<int>(xml.size()) + 1) ==
                0 &&
            hwloc_topology_load(machine_) == 0;
  }
  read_back(const read_back&) = delete;
  read_back& operator=(const read_back&) = delete;
  ~read_back() { hwloc_topology_destroy(machine_); }

  [[nodiscard]] bool read() const { return read_; }

  [[nodiscard]] hwloc_uint64_t attribute(const char* name, unsigned from, unsigned to) const {
    hwloc_memattr_id_t id = 0;
    if (hwloc_memattr_get_by_name(machine_, name, &id) != 0) return 0;
    hwloc_location initiator{};
    initiator.type = HWLOC_LOCATION_TYPE_CPUSET;
    initiator.location.cpuset = node(from)->cpuset;
    hwloc_uint64_t value = 0;
    return hwloc_memattr_get_value(machine_, id, node(to), &initiator, 0, &value) == 0 ? value : 0;
  }

  /// Row after row, by the operating system's indexes; empty if there is no such matrix.
  [[nodiscard]] std::map<std::pair<unsigned, unsigned>, hwloc_uint64_t> distances(
      const char* name) const {
    std::map<std::pair<unsigned, unsigned>, hwloc_uint64_t> result;
    std::array<hwloc_distances_s*, 1> found{};
    unsigned count = 1;
    if (hwloc_distances_get_by_name(machine_, name, &count, found.data(), 0) != 0 || count != 1)
      return result;
    const auto& one = *found[0];
    for (unsigned row = 0; row < one.nbobjs; ++row)
      for (unsigned column = 0; column < one.nbobjs; ++column)
        result[{one.objs[row]->os_index, one.objs[column]->os_index}] =
            one.values[row * one.nbobjs + column];
    hwloc_distances_release(machine_, found[0]);
    return result;
  }

 private:
  [[nodiscard]] hwloc_obj_t node(unsigned index) const {
    return hwloc_get_numanode_obj_by_os_index(machine_, index);
  }

  hwloc_topology_t machine_ = nullptr;
  bool read_ = false;
};

constexpr const char* two_nodes = "numa:2 core:2 pu:2";

TEST(matrix_xml, has_every_figure_as_hwloc_reads_it) {
  const made_up_machine made(two_nodes);
  const read_back machine(matrix_xml(made.measured, two_nodes));
  ASSERT_TRUE(machine.read());
  for (unsigned from = 0; from < 2; ++from) {
    for (unsigned to = 0; to < 2; ++to) {
      const auto figure = made.figure_of(from, to);
      EXPECT_EQ(machine.attribute("Bandwidth", from, to), figure);
      EXPECT_EQ(machine.attribute("Latency", from, to), figure);
      EXPECT_EQ(machine.attribute("LoadedLatency", from, to), 2 * figure);
      EXPECT_EQ(machine.distances("PleatNumaLatency").at({from, to}), figure);
    }
  }
  const auto lines = machine.distances("PleatLineLatency");
  ASSERT_EQ(lines.size(), 64u);
  for (const auto& [pair, value] : lines) {
    const auto [row, column] = pair;
    EXPECT_EQ(value, row == column ? 0 : made.figure_of(row, column)) << row << ' ' << column;
  }
  EXPECT_EQ(machine.distances("PleatNumaBandwidth").at({0, 1}), 115u);  // 110 MiB/s in MB/s
}

TEST(matrix_xml, is_read_back_by_topology) {
  const made_up_machine made(two_nodes);
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("pleat-matrix-" + std::to_string(::getpid()) + ".xml");
  std::ofstream(file) << matrix_xml(made.measured, two_nodes);
  const auto machine = pleat::topology::xml(file);
  std::filesystem::remove(file);
  for (const pleat::numa_node& node : machine.memory_nodes()) {
    const auto figure = static_cast<double>(made.figure_of(node.index, node.index));
    EXPECT_DOUBLE_EQ(node.bandwidth, figure * (1 << 20));
    EXPECT_DOUBLE_EQ(node.latency, figure * 1e-9);
  }
  EXPECT_FALSE(machine.distance(0, 1)) << "nanoseconds are no distances of the firmware";
}

TEST(matrix_xml, leaves_out_what_is_not_measured) {
  made_up_machine made(two_nodes);
  for (auto& matrix : made.measured.matrices) matrix.cells[1].reset();
  const read_back machine(matrix_xml(made.measured, two_nodes));
  ASSERT_TRUE(machine.read());
  EXPECT_EQ(machine.attribute("Latency", 0, 1), 0u);
  EXPECT_EQ(machine.attribute("Latency", 1, 0), made.figure_of(1, 0));
  EXPECT_TRUE(machine.distances("PleatLineLatency").empty());
  EXPECT_TRUE(machine.distances("PleatNumaLatency").empty());
}

TEST(matrix_xml, of_memory_without_processors_has_attributes_and_no_square) {
  made_up_machine made(two_nodes);
  auto& measured = made.measured;
  measured.processors.resize(4);
  measured.nodes[1].pus.clear();
  measured.nodes[1].cores.clear();
  auto& lines = measured.matrices.front();
  lines.rows.resize(4);
  lines.columns.resize(4);
  lines.cells.assign(16, lines.cells[1]);
  for (std::size_t k = 1; k < measured.matrices.size(); ++k) {
    measured.matrices[k].rows.resize(1);
    measured.matrices[k].cells.resize(2);
  }
  const read_back machine(matrix_xml(measured, two_nodes));
  ASSERT_TRUE(machine.read());
  EXPECT_EQ(machine.attribute("Bandwidth", 0, 1), made.figure_of(0, 1));
  EXPECT_EQ(machine.distances("PleatLineLatency").size(), 16u);
  EXPECT_TRUE(machine.distances("PleatNumaLatency").empty());
}

TEST(matrix_xml, of_one_processor_has_no_distances) {
  const made_up_machine made("core:1 pu:1");
  const read_back machine(matrix_xml(made.measured, "core:1 pu:1"));
  ASSERT_TRUE(machine.read());
  EXPECT_EQ(machine.attribute("Latency", 0, 0), made.figure_of(0, 0));
  EXPECT_TRUE(machine.distances("PleatLineLatency").empty());
}

}  // namespace matrix_xml_test
