// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Path of the messages of a superstep, where costs are counted: see evaluate and routed.
enum class routing {
  /// Messages go from the source to the destination in the superstep they were sent in.
  direct,

  /// Messages go by the ascend-descend protocol, which spreads unbalanced traffic before it moves
  /// far: an i-superstep of M(v) becomes, with L = ⌈log2 v⌉,
  ///
  /// - a tally of the i-cluster: 2(L − i) supersteps of constant degree, one up and one down per
  ///   label from i to L − 1, which finds out whether a VP of it has ended;
  /// - ascend, k = L − 1 … i + 1: in each k-cluster, a tally, then one k-superstep that spreads
  ///   what leaves the k-cluster evenly over its VPs, of degree at most
  ///   max(⌈2^k·h(2^k)/v⌉, ⌈2^(k+1)·h(2^(k+1))/v⌉), h(2^k) the superstep's degree on M(2^k);
  /// - descend, k = i … L − 1: in each k-cluster, a tally, then one k-superstep that spreads the
  ///   messages that come from outside their (k + 1)-cluster over its VPs, of degree in
  ///   O(⌈2^(k+1)·h(2^(k+1))/v⌉).
  ///
  /// The sequence of labels depends on i alone: clusters that send nothing perform it too, so what
  /// is a static program without routing is one with it.
  ///
  /// A span travels whole, so balance is up to the longest. Where a VP of the cluster has ended,
  /// nothing is spread, since that VP could pass nothing on: messages go to their destinations in
  /// the first superstep of the descent, and the others move nothing.
  ///
  /// It pays where g and ℓ grow steeply towards the root; on one machine the extra supersteps cost
  /// more than they save. So it is counted, and machines do not route.
  /// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, "Network-Oblivious Algorithms",
  /// section 5, Lemma 7.
  ascend_descend,
};

}  // namespace pleat
