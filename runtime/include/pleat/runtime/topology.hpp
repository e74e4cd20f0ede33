// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <pleat/runtime/quota.hpp>

namespace pleat {

/// One processor of M(p): the hardware thread a worker is bound to.
///
/// `core` and `package` are hwloc's logical indexes (L#): unique on the machine, and consecutive
/// for neighbours. `pu` and `numa` are the operating system's indexes (P#), as for taskset and
/// numactl.
struct processor {
  unsigned rank = 0;
  unsigned core = 0;
  unsigned pu = 0;
  unsigned numa = 0;
  unsigned package = 0;

  friend bool operator==(const processor&, const processor&) = default;
};

/// One hardware thread of the machine, whether this process may use it or not.
struct processing_unit {
  unsigned pu = 0;      ///< operating system's index (P#)
  unsigned core = 0;    ///< logical index of its core (L#); its own if cores are not reported
  unsigned thread = 0;  ///< 0 for the first hardware thread of its core, 1 for the second, …
  /// Operating system's index (P#) of its own NUMA node, as the kernel assigns it. In a description
  /// with several nodes on the same PUs it is one of dram, else the one of the lowest index.
  unsigned numa = 0;
  unsigned package = 0;    ///< logical index of its package (L#)
  unsigned kind = 0;       ///< kind of core: 0 the slowest … topology::kinds() − 1 the fastest
  bool allowed = true;     ///< by cpuset and affinity
  std::size_t object = 0;  ///< its leaf in topology::objects()
};

/// One node of the hardware tree, with at least two children or none: hwloc's objects that hold the
/// same PUs (a package with one L3, a core with one PU) are one node here. A NUMA node, which hwloc
/// keeps beside its tree, is part of the node that holds its PUs.
struct topology_object {
  std::string name;        ///< the deepest of the objects united here, "L3 L#2"
  std::string label;       ///< all of them with their sizes, "Package L#0 + L3 L#0 (32 MB)"
  std::size_t parent = 0;  ///< index in topology::objects(); the root is its own parent
  unsigned depth = 0;      ///< 0 for the root
  unsigned height = 0;     ///< 0 for a PU, else 1 more than its highest child
  std::size_t first = 0;   ///< its PUs are units()[first, first + size)
  std::size_t size = 0;
};

/// Technology of a NUMA node's memory. It is taken from hwloc (the subtype of the node, which hwloc
/// 2.10 and newer determine, or DAXType). If hwloc does not report it, bandwidths decide: a node
/// with at least twice the bandwidth of the node that its PUs belong to is hbm, and that node is
/// dram. Nothing else is guessed: on a machine with one technology the kind is mostly unknown.
enum class memory_kind : std::uint8_t { unknown, dram, hbm, cxl, nvm };

/// One NUMA node: memory with the same distance to each of its PUs; it may have no PU.
///
/// A node is *memory only* if no PU belongs to it (processing_unit::numa): HBM, CXL, persistent
/// memory. hwloc attaches such a node to the PUs that the firmware names as nearest (HMAT), else to
/// those of the node at the smallest distance, else to the whole machine.
struct numa_node {
  unsigned index = 0;       ///< the operating system's (P#)
  std::uint64_t bytes = 0;  ///< size of its memory; 0 if the system does not report it
  bool allowed = true;      ///< this process may have memory there (cpuset)
  memory_kind kind = memory_kind::unknown;
  /// Best values for one initiator among its PUs, from hwloc's memory attributes Bandwidth (bytes
  /// per second) and Latency (seconds). They come from the firmware, or from the file that
  /// the topology was read from. 0 if it does not report them.
  double bandwidth = 0, latency = 0;
  std::size_t object = 0;  ///< index in topology::objects() of the object with the same PUs
};

/// Restriction of a process to a part of the machine, and the cores that are left.
struct restriction {
  enum class by { cpuset, affinity, quota };

  by cause = by::cpuset;
  unsigned cores = 0;  ///< left after this restriction and those before it
  unsigned pus = 0;
  std::string reason;  ///< one line
};

/// Immutable snapshot of a machine: its tree of packages, caches, cores and hardware threads, and
/// the part that this process may use. Copies are cheap: they share the snapshot.
///
/// Three limits restrict a process. The *cpuset* (control group) and the *affinity* mask determine
/// the allowed PUs; the *quota* of the control group limits how many PUs the process uses at a
/// time, not which. The default number of workers is at most the quota rounded down.
///
/// Thread-safe: all member functions are const. Throws: functions that read, describe or make texts
/// throw also std::bad_alloc.
class PLEAT_API topology {
 public:
  /// Returns the topology of the host. The first call in a process reads it; later calls return the
  /// same snapshot. The affinity is that of the main thread when this library was loaded; later
  /// bindings of threads, by themselves or by OpenMP, have no effect. If OpenMP had bound the main
  /// thread before (OMP_PROC_BIND), all places of OpenMP are allowed.
  /// Cost: the first call 1 to 50 ms. Throws environment_error if the machine cannot be read.
  [[nodiscard]] static topology host();

  /// Reads the topology of the host now, with the affinity of the calling thread: for a process
  /// that has restricted itself. Pass the result in machine_options::topology. \param root
  /// directory in which `/proc` and the control groups are read (quota only)
  /// Cost: 1 to 50 ms. Throws environment_error.
  [[nodiscard]] static topology load_host(const std::string& root = "/");

  /// Makes a regular machine for dry runs from hwloc's synthetic notation, from the outside in:
  /// "numa:2 l3:2 core:4 pu:2" (types package, die, numa, group, l1…l5, core, pu). Without pu a
  /// core has one PU. Throws usage_error, which names the description.
  [[nodiscard]] static topology synthetic(std::string_view description);

  /// Reads a machine that `lstopo file.xml` has described, for dry runs. Throws environment_error.
  [[nodiscard]] static topology xml(const std::string& file);

  /// Tells whether threads can be bound to its PUs: true only for the host. (For other machines
  /// hwloc reports success and does nothing.)
  [[nodiscard]] bool bindable() const noexcept;

  /// Returns "host", "synthetic numa:2 core:4" or "xml machine.xml".
  [[nodiscard]] const std::string& origin() const noexcept;

  /// All PUs of the machine in the order of the tree, so that neighbours in hardware are adjacent.
  [[nodiscard]] std::span<const processing_unit> units() const noexcept;

  /// The hardware tree; objects()[0] is its root, parents stand before their children.
  [[nodiscard]] std::span<const topology_object> objects() const noexcept;

  [[nodiscard]] unsigned cores() const noexcept;  ///< number in the machine
  [[nodiscard]] unsigned pus() const noexcept;    ///< number in the machine
  [[nodiscard]] unsigned packages() const noexcept;
  [[nodiscard]] unsigned allowed_cores() const noexcept;  ///< cores with an allowed PU
  [[nodiscard]] unsigned allowed_pus() const noexcept;

  /// OS indexes, ascending, of the NUMA nodes that PUs belong to (processing_unit::numa).
  [[nodiscard]] std::span<const unsigned> numa_nodes() const noexcept;

  /// All NUMA nodes, also those without processors, by ascending index.
  [[nodiscard]] std::span<const numa_node> memory_nodes() const noexcept;

  /// Distance of the memory of node `to` from node `from`, as the firmware reports it (ACPI's
  /// SLIT): 10 for a node's own memory, 20 for twice that. nullopt if the firmware reports no
  /// distance for the two nodes; Linux then shows 20. Arguments are the operating system's indexes.
  /// Throws usage_error if there is no such node.
  [[nodiscard]] std::optional<unsigned> distance(unsigned from, unsigned to) const;

  /// Tells whether node `to` has the same PUs as node `from`, so that both are local to these PUs,
  /// as HBM beside DRAM. Arguments and errors: as of distance.
  [[nodiscard]] bool is_local(unsigned from, unsigned to) const;

  /// Total size in bytes of the last-level caches above the allowed PUs, each cache counted once. 0
  /// if the machine does not report it. In a virtual machine it is the size that the host shows;
  /// others may share these caches.
  [[nodiscard]] std::size_t cache_bytes() const noexcept;

  /// Number of kinds of cores (fast and economical ones); 1 if all are equal or the system does not
  /// report kinds.
  [[nodiscard]] unsigned kinds() const noexcept;

  /// The quota of this process's control group, if it has one.
  [[nodiscard]] const std::optional<cpu_quota>& quota() const noexcept;

  /// Number of workers that this process can run at full speed, one per core: the allowed cores, at
  /// most the quota. At least 1.
  [[nodiscard]] unsigned available() const noexcept;

  /// Restrictions of this process to a part of the machine, in the order cpuset, affinity, quota.
  [[nodiscard]] std::span<const restriction> restrictions() const noexcept;

  /// Readable summary in one line: "8 cores, 3 allowed by affinity, 2 by quota".
  [[nodiscard]] std::string summary() const;

  /// Deepest object that contains the objects a and b; arguments and result are indexes in
  /// objects(). Cost: O(depth).
  [[nodiscard]] std::size_t common_object(std::size_t a, std::size_t b) const;

  /// Position of a PU in units(), by the operating system's index; nullopt if there is no such PU.
  [[nodiscard]] std::optional<std::size_t> find_pu(unsigned pu) const noexcept;

  /// Name and loaded version of the library that reads topologies: "hwloc API 2.8".
  [[nodiscard]] static std::string library();

  struct snapshot;  // data, defined and filled inside the component

 private:
  explicit topology(std::shared_ptr<const snapshot> data) noexcept : data_(std::move(data)) {}

  std::shared_ptr<const snapshot> data_;
};

[[nodiscard]] PLEAT_API std::string_view to_string(restriction::by cause) noexcept;

/// Returns "dram", "hbm", "cxl", "nvm" or "unknown".
[[nodiscard]] PLEAT_API std::string_view to_string(memory_kind kind) noexcept;

/// Returns the indexes, with the kinds that are known: "0-1 (dram), 8-9 (hbm)". Throws:
/// std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_string(std::span<const numa_node> nodes);

/// Returns "0-3,8" for {0, 1, 2, 3, 8}, as taskset and cpuset files write it. Requires ascending
/// order.
/// Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_index_list(std::span<const unsigned> indexes);

}  // namespace pleat
