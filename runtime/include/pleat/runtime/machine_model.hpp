// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <optional>
#include <string>
#include <vector>

namespace pleat {

/// D-BSP(p, g, ℓ): p = 2^levels processors in nested clusters. A superstep of label i and degree h
/// costs g[i] · h + ℓ[i], where ℓ[i] is for latency and barrier.
///
/// Entry i stands for the i-clusters, of m = p/2^i processors each: index 0 is the whole machine,
/// index levels − 1 the clusters of two. All figures are in one unit of time, which each model
/// chooses. `g` and `l` have the same length; they are empty for a machine of one processor.
///
/// Source: de la Torre, Kruskal, Submachine Locality in the Bulk Synchronous Setting, 1996;
/// Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms, section 2.
struct machine_model {
  std::string name;
  std::vector<double> g;  ///< per message, above 0
  std::vector<double> l;  ///< per superstep, 0 or more

  /// log2 p.
  [[nodiscard]] unsigned levels() const noexcept { return static_cast<unsigned>(g.size()); }
};

// Models of networks. They have the growth laws of their families with all constants 1. The unit is
// the time of a message over the shortest link, so figures compare foldings and programs on one
// model, not models with each other. These functions require levels ≤ 64, take O(levels), and throw
// std::bad_alloc.

/// Model in which all clusters are alike: g[i] = g, ℓ[i] = l. This is BSP, where only p matters.
/// Requires: g > 0, l ≥ 0. Source: Valiant, A Bridging Model for Parallel Computation, 1990.
[[nodiscard]] PLEAT_API machine_model uniform(unsigned levels, double g, double l);

/// Square meshes: g[i] = ℓ[i] = m^(1/2). The messages of m processors leave a cluster through its
/// border of m^(1/2) links, and its diameter is about m^(1/2).
/// Source: Bilardi, Pietracaprina, Pucci, A Quantitative Measure of Portability with Application to
/// Bandwidth-Latency Models for Parallel Computing, 1999 (d-dimensional arrays, d = 2).
[[nodiscard]] PLEAT_API machine_model mesh_2d(unsigned levels);

/// Hypercubes and networks like them: g[i] = 1, ℓ[i] = log2 m. The bisection grows as the number of
/// processors, and the diameter is the dimension.
/// Source: Bilardi, Pietracaprina, Pucci, 1999 (as above; the hypercube with all ports at once).
[[nodiscard]] PLEAT_API machine_model hypercube(unsigned levels);

/// Volume-universal fat trees: g[i] = ℓ[i] = m^(1/3). The channel above a subtree of m processors
/// has the capacity of the surface around them, m^(2/3). The subtree fills a volume of m, and a
/// signal takes time in proportion to the length of its wires, which sum up to about m^(1/3).
/// Source: Leiserson, Fat-Trees: Universal Networks for Hardware-Efficient Supercomputing, 1985
/// (capacities); Bilardi, Preparata, Horizons of Parallel Computation, 1995 (time over wires). If
/// wires cost no time, ℓ would be log2 m, and ℓ/g would fall as m grows, which Theorem 1 excludes.
[[nodiscard]] PLEAT_API machine_model fat_tree(unsigned levels);

/// Model of one cluster of 2^levels processors of `whole`: its last `levels` entries. Requires
/// levels ≤ whole.levels().
[[nodiscard]] PLEAT_API machine_model submachine(const machine_model& whole, unsigned levels);

/// Names the first condition of the optimality theorem that a model violates, in one line; returns
/// nullopt if it violates none. Conditions: messages do not get cheaper in larger clusters,
/// g[i] ≥ g[i + 1], and larger clusters can have at least as many messages in flight,
/// ℓ[i]/g[i] ≥ ℓ[i + 1]/g[i + 1]. Both are checked up to rounding, one part in 10^9.
///
/// Requires: g and l of the same length, values as above. Cost: O(levels).
/// Source: Bilardi et al., Network-Oblivious Algorithms, Theorem 1 (section 3).
[[nodiscard]] PLEAT_API std::optional<std::string> violated_condition(const machine_model& model);

}  // namespace pleat
