// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Path of the messages of a superstep, where costs are counted: see evaluate and routed.
enum class routing {
  /// Messages go from the source to the destination in the superstep they were sent in.
  direct,

  /// Messages follow the ascend-descend protocol, which balances traffic before it moves far. An
  /// i-superstep of M(v) becomes, with L = ⌈log2 v⌉,
  ///
  /// - a tally of the i-cluster: 2(L − i) supersteps of constant degree, one up and one down per
  ///   label from i to L − 1, which finds out whether a VP of the cluster has ended;
  /// - ascend, k = L − 1 … i + 1: in each k-cluster, a tally, then one k-superstep that spreads the
  ///   messages that leave the k-cluster evenly over its VPs, of degree at most max(⌈2^k·h(2^k)/v⌉,
  ///   ⌈2^(k+1)·h(2^(k+1))/v⌉), where h(2^k) is the superstep's degree on M(2^k);
  /// - descend, k = i … L − 1: in each k-cluster, a tally, then one k-superstep that spreads the
  ///   messages that come from outside their (k + 1)-cluster over its VPs, of degree in
  ///   O(⌈2^(k+1)·h(2^(k+1))/v⌉).
  ///
  /// The sequence of labels depends on i alone: clusters that send nothing perform it too, so a
  /// static program remains static with routing.
  ///
  /// A span is not divided, so the balance is limited by the longest span. If a VP of the cluster
  /// has ended, nothing is spread, since that VP cannot forward messages: they go to their
  /// destinations in the first superstep of the descent, and the other supersteps move nothing.
  ///
  /// The protocol pays if g and ℓ grow steeply towards the root. On one machine the extra
  /// supersteps cost more than they save, so machines do not route: the protocol is only counted.
  /// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, "Network-Oblivious Algorithms",
  /// section 5, Lemma 7.
  ascend_descend,
};

}  // namespace pleat
