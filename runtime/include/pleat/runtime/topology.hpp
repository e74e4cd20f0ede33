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
/// `core` and `package` are hwloc's logical indexes (L#): unique on the machine, neighbours are
/// consecutive. `pu` and `numa` are the operating system's (P#): what taskset and numactl take.
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
  unsigned core = 0;    ///< logical index of its core (L#); its own where cores are not reported
  unsigned thread = 0;  ///< 0 for the first hardware thread of its core, 1 for the second, …
  /// Operating system's index (P#) of its own NUMA node: that to which the kernel counts it. In a
  /// description, of several nodes on the same PUs, one of dram, else that of the lowest index.
  unsigned numa = 0;
  unsigned package = 0;    ///< logical index of its package (L#)
  unsigned kind = 0;       ///< 0 the slowest kind of core … topology::kinds() − 1 the fastest
  bool allowed = true;     ///< by cpuset and affinity
  std::size_t object = 0;  ///< its leaf in topology::objects()
};

/// One node of the hardware tree, with at least two children or none: objects of hwloc's that hold
/// the same PUs (a package with one L3, a core with one PU) are one node here. A NUMA node, which
/// hwloc keeps beside its tree, is part of the node that holds its PUs.
struct topology_object {
  std::string name;        ///< the deepest of the objects united here, "L3 L#2"
  std::string label;       ///< all of them with their sizes, "Package L#0 + L3 L#0 (32 MB)"
  std::size_t parent = 0;  ///< index in topology::objects(); the root is its own parent
  unsigned depth = 0;      ///< 0 for the root
  unsigned height = 0;     ///< 0 for a PU, else 1 more than its highest child
  std::size_t first = 0;   ///< its PUs are units()[first, first + size)
  std::size_t size = 0;
};

/// Technology of a NUMA node's memory. It is what hwloc says (the subtype of the node, which hwloc
/// 2.10 and newer find out, or DAXType). Where hwloc is silent, bandwidths decide: a node with at
/// least twice the bandwidth of the node that its PUs belong to is hbm, and that node is dram.
/// Nothing else is guessed: nodes of a machine with one technology are mostly unknown.
enum class memory_kind : std::uint8_t { unknown, dram, hbm, cxl, nvm };

/// One NUMA node: memory that is equally far from each of its PUs, of which it may have none.
///
/// A node is *memory only* if no PU belongs to it (processing_unit::numa): HBM, CXL, persistent
/// memory. hwloc attaches such a node to the PUs that the firmware names as nearest (HMAT), else to
/// those of the node at the smallest distance, else to the whole machine.
struct numa_node {
  unsigned index = 0;       ///< the operating system's (P#)
  std::uint64_t bytes = 0;  ///< of memory; 0 where the system does not tell
  bool allowed = true;      ///< this process may have memory there (cpuset)
  memory_kind kind = memory_kind::unknown;
  /// The best that one initiator among its PUs gets, as hwloc's memory attributes Bandwidth (bytes
  /// per second) and Latency (seconds) tell: from the firmware, or from a file that `pleat matrix
  /// --xml` wrote. 0 where the system does not tell.
  double bandwidth = 0, latency = 0;
  std::size_t object = 0;  ///< its PUs are those of this one of topology::objects()
};

/// Why a process may use less than the machine has, and what is left to it then.
struct restriction {
  enum class by { cpuset, affinity, quota };

  by cause = by::cpuset;
  unsigned cores = 0;  ///< left after this one and those before it
  unsigned pus = 0;
  std::string reason;  ///< one line
};

/// Immutable snapshot of a machine: its tree of packages, caches, cores and hardware threads, and
/// what of it this process may use. Cheap to copy (copies share the snapshot).
///
/// What a process may use is three different things. The *cpuset* (control group) and the
/// *affinity* mask say which PUs; the *quota* of the control group says how many at a time, not
/// which. The allowed PUs are those of cpuset and affinity; the
/// number of workers by default is at most the quota rounded down.
///
/// Thread-safe: all member functions are const. Throws: what reads, describes or makes texts also
/// std::bad_alloc.
class PLEAT_API topology {
 public:
  /// The machine we run on. Read once in a process, at the first call; later calls return the same
  /// snapshot. The affinity that counts is the process's: that of its main thread when this library
  /// was loaded, whatever threads have been bound to since, by themselves or by OpenMP. Where
  /// OpenMP had bound the main thread before (OMP_PROC_BIND), all of its places count.
  /// Cost: the first call 1 to 50 ms. Throws environment_error if the machine cannot be read.
  [[nodiscard]] static topology host();

  /// The machine we run on, read now, with the affinity of the calling thread: for a process that
  /// has restricted itself. Give it to machine_options::topology.
  /// \param root where `/proc` and the control groups are looked for (quota only)
  /// Cost: 1 to 50 ms. Throws environment_error.
  [[nodiscard]] static topology load_host(const std::string& root = "/");

  /// A regular machine of your own making, for dry runs: hwloc's synthetic notation, from the
  /// outside in, "numa:2 l3:2 core:4 pu:2" (types package, die, numa, group, l1…l5, core, pu).
  /// Without pu a core has one. Throws usage_error, naming the description.
  [[nodiscard]] static topology synthetic(std::string_view description);

  /// A machine that `lstopo file.xml` has described, for dry runs. Throws environment_error.
  [[nodiscard]] static topology xml(const std::string& file);

  /// Tells whether threads can be bound to its PUs: only on the machine we run on. (hwloc itself
  /// reports success when asked to bind to any other, and does nothing.)
  [[nodiscard]] bool bindable() const noexcept;

  /// "host", "synthetic numa:2 core:4" or "xml machine.xml".
  [[nodiscard]] const std::string& origin() const noexcept;

  /// Every PU of the machine in the order of the tree: neighbours in hardware are neighbours here.
  [[nodiscard]] std::span<const processing_unit> units() const noexcept;

  /// The hardware tree; objects()[0] is its root, parents stand before their children.
  [[nodiscard]] std::span<const topology_object> objects() const noexcept;

  [[nodiscard]] unsigned cores() const noexcept;  ///< of the machine
  [[nodiscard]] unsigned pus() const noexcept;    ///< of the machine
  [[nodiscard]] unsigned packages() const noexcept;
  [[nodiscard]] unsigned allowed_cores() const noexcept;  ///< with at least one allowed PU
  [[nodiscard]] unsigned allowed_pus() const noexcept;

  /// OS indexes, ascending, of the NUMA nodes that PUs belong to (processing_unit::numa).
  [[nodiscard]] std::span<const unsigned> numa_nodes() const noexcept;

  /// All NUMA nodes, also those without processors, by ascending index.
  [[nodiscard]] std::span<const numa_node> memory_nodes() const noexcept;

  /// Distance of the memory of node `to` from node `from`, as the firmware tells the operating
  /// system (ACPI's SLIT): 10 for a node's own, 20 for twice that. None between two nodes of which
  /// the firmware tells nothing; Linux shows 20 then. Arguments are the operating system's indexes.
  /// Throws usage_error if there is no such node.
  [[nodiscard]] std::optional<unsigned> distance(unsigned from, unsigned to) const;

  /// Tells whether node `to` has the same PUs as node `from`, so that both are local to them: HBM
  /// beside DRAM. Arguments and errors: as of distance.
  [[nodiscard]] bool is_local(unsigned from, unsigned to) const;

  /// Bytes of the caches farthest from the cores that hold what this process computes with: the
  /// last level above each allowed PU, each cache once. 0 where the machine does not tell. In a
  /// virtual machine it is what the host shows, which may be shared with others.
  [[nodiscard]] std::size_t cache_bytes() const noexcept;

  /// Kinds of cores (fast and economical ones); 1 where all are alike or the system does not tell.
  [[nodiscard]] unsigned kinds() const noexcept;

  /// The quota of this process's control group, if it has one.
  [[nodiscard]] const std::optional<cpu_quota>& quota() const noexcept;

  /// Workers at one per core that this process can run at full speed: allowed cores, at most the
  /// quota. At least 1.
  [[nodiscard]] unsigned available() const noexcept;

  /// Restrictions that leave this process less than the whole machine, in the order cpuset,
  /// affinity, quota.
  [[nodiscard]] std::span<const restriction> restrictions() const noexcept;

  /// One line for people: "8 cores, 3 allowed by affinity, 2 by quota".
  [[nodiscard]] std::string summary() const;

  /// The deepest object that holds both; arguments and result are indexes in objects().
  /// Cost: O(depth).
  [[nodiscard]] std::size_t common_object(std::size_t a, std::size_t b) const;

  /// Position of a PU in units(), by the operating system's index; none if there is no such PU.
  [[nodiscard]] std::optional<std::size_t> find_pu(unsigned pu) const noexcept;

  /// The library that reads topologies, with the version that runs: "hwloc API 2.8".
  [[nodiscard]] static std::string library();

  struct snapshot;  // the data; defined and filled inside the component

 private:
  explicit topology(std::shared_ptr<const snapshot> data) noexcept : data_(std::move(data)) {}

  std::shared_ptr<const snapshot> data_;
};

[[nodiscard]] PLEAT_API std::string_view to_string(restriction::by cause) noexcept;

/// "dram", "hbm", "cxl", "nvm" or "unknown".
[[nodiscard]] PLEAT_API std::string_view to_string(memory_kind kind) noexcept;

/// "0-1 (dram), 8-9 (hbm)": indexes, with kinds where they are known. Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_string(std::span<const numa_node> nodes);

/// "0-3,8" for {0, 1, 2, 3, 8}, as taskset and cpuset files write it. Requires ascending order.
/// Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::string to_index_list(std::span<const unsigned> indexes);

}  // namespace pleat
