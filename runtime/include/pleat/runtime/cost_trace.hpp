// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pleat {

namespace detail {
struct message_log;
}

/// One superstep of a run, with its degree on every folding.
struct superstep_degrees {
  unsigned label = 0;            ///< it ended with sync(label)
  std::vector<std::uint64_t> h;  ///< [j], 0 ≤ j ≤ L: the degree h^s(2^j); 0 for j ≤ label, where
                                 ///< the superstep is local computation
  std::uint64_t pairs = 0;  ///< digest of its messages' sources and destinations
};

/// Costs of a run of a program on M(v), on every folding: the supersteps with their degrees, and
/// functions of these in the evaluation model and the D-BSP.
///
/// The folding 2^j has one processor per j-cluster: the VPs whose L-bit ranks agree in the j
/// leading bits, 0 ≤ j ≤ L = labels(). If v is a power of two, a processor of M(2^j) has v/2^j
/// consecutive VPs. h^s(2^j) is the largest number of messages that one processor sends to, or
/// receives from, other processors in superstep s. A span or lent view of m elements counts as m
/// messages; messages of a VP to itself do not count.
///
/// A round of a collective operation is a superstep of the clusters that its messages need: its
/// label is the finest that joins each sender with its receiver. A block of m elements counts as m
/// messages.
///
/// All functions throw usage_error for a label ≥ L and for j > L.
///
/// Cost: the constructor computes the sums in O(L) per superstep; each call then takes O(L²) at
/// most.
/// Thread safety: as a value.
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, "Network-Oblivious Algorithms",
/// sections 2, 3 and 5.
class PLEAT_API cost_trace {
 public:
  /// Supersteps in the order of the run. Throws usage_error unless v ≥ 1, every label is below L,
  /// every h has L + 1 entries and h[j] = 0 for j ≤ label; std::bad_alloc.
  cost_trace(std::size_t v, std::vector<superstep_degrees> supersteps, std::uint64_t messages)
      : cost_trace(v, std::move(supersteps), messages, 0, {}) {}
  /// `between`: [label][from · processors + to], see messages_between; no entries for a label
  /// without messages. Throws also usage_error unless `between` has an entry of this size, or none,
  /// for each label.
  cost_trace(std::size_t v, std::vector<superstep_degrees> supersteps, std::uint64_t messages,
             std::size_t processors, std::vector<std::vector<std::uint64_t>> between,
             std::uint64_t streamed = 0);

  [[nodiscard]] std::size_t v() const noexcept { return v_; }
  /// L = max(1, ⌈log2 v⌉).
  [[nodiscard]] unsigned labels() const noexcept { return labels_; }
  [[nodiscard]] std::span<const superstep_degrees> supersteps() const noexcept {
    return supersteps_;
  }
  /// Messages between different VPs in all supersteps, dummies included if they were counted.
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
  /// Number of values among these messages that were pushed into channels (vp::push). A value is a
  /// message of the superstep in which it is pushed.
  [[nodiscard]] std::uint64_t streamed() const noexcept { return streamed_; }

  /// Log of all messages, which routed() and folded() read, if tracing::messages is set; else null.
  [[nodiscard]] const detail::message_log* log() const noexcept { return log_.get(); }
  void keep(std::shared_ptr<const detail::message_log> log) noexcept { log_ = std::move(log); }

  /// Number of processors between which messages were counted, see tracing::processors; 0 if they
  /// were not counted.
  [[nodiscard]] std::size_t processors() const noexcept { return processors_; }
  /// Number of messages that the VPs of processor `from` of pleat::fold(v(), processors()) send to
  /// the VPs of processor `to` in supersteps that end with sync(label). Throws usage_error also if
  /// a processor does not exist.
  [[nodiscard]] std::uint64_t messages_between(unsigned label, std::size_t from,
                                               std::size_t to) const;

  /// S^label: the number of supersteps that ended with sync(label).
  [[nodiscard]] std::uint64_t S(unsigned label) const;
  /// F^label(2^j): the cumulative degree of those supersteps.
  [[nodiscard]] std::uint64_t F(unsigned label, unsigned j) const;
  /// H(2^j, σ) = Σ_{i<j} (F^i(2^j) + S^i · σ): the communication complexity on M(2^j, σ).
  [[nodiscard]] double H(unsigned j, double sigma) const;
  /// D(2^j, g, ℓ) = Σ_{i<j} (F^i(2^j) · g[i] + S^i · l[i]): the communication time on the D-BSP.
  /// Throws usage_error if g or l has fewer than j entries.
  [[nodiscard]] double D(unsigned j, std::span<const double> g, std::span<const double> l) const;

  /// The largest α ≤ 1 for which the run is (α, 2^j)-wise: for every 1 ≤ k ≤ j
  /// Σ_{i<k} F^i(2^k) ≥ α · 2^j/2^k · Σ_{i<k} F^i(2^j). 1 if no message crosses processors.
  [[nodiscard]] double wiseness(unsigned j) const;
  /// The largest γ for which the run is (γ, 2^j)-full: for every 1 ≤ k ≤ j
  /// Σ_{i<k} F^i(2^k) ≥ γ · 2^j/2^k · Σ_{i<k} S^i. Infinity if no superstep has a label below j.
  [[nodiscard]] double fullness(unsigned j) const;

 private:
  void check(unsigned j) const;
  [[nodiscard]] std::uint64_t& cumulative(unsigned label, unsigned j) noexcept {
    return cumulative_[std::size_t{label} * (labels_ + 1) + j];
  }
  [[nodiscard]] std::uint64_t cumulative(unsigned label, unsigned j) const noexcept {
    return cumulative_[std::size_t{label} * (labels_ + 1) + j];
  }
  /// Σ_{i<label} F^i(2^j)
  [[nodiscard]] double degrees_below(unsigned label, unsigned j) const noexcept;
  [[nodiscard]] double supersteps_below(unsigned label) const noexcept;

  std::size_t v_;
  unsigned labels_;
  std::uint64_t messages_;
  std::uint64_t streamed_;
  std::vector<superstep_degrees> supersteps_;
  std::vector<std::uint64_t> counts_;      // [label]: S
  std::vector<std::uint64_t> cumulative_;  // [label][j]: F
  std::size_t processors_;
  std::vector<std::vector<std::uint64_t>> between_;
  std::shared_ptr<const detail::message_log> log_;
};

/// Names the first difference between two runs in one line; nullopt if there is none. Two runs of a
/// static program do not differ: the labels of its supersteps and the sources and destinations of
/// its messages depend on v alone. Sources and destinations are compared by a 64-bit digest.
/// Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::optional<std::string> first_difference(const cost_trace& one,
                                                                    const cost_trace& other);

}  // namespace pleat
