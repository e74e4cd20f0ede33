// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine_model.hpp>

namespace pleat::bench {

/// Costs of a run of a case in the model, counted once and kept as numbers.
struct case_costs {
  std::size_t vps = 0;
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> supersteps;             ///< [label]: S^label
  std::vector<std::vector<std::uint64_t>> messages;  ///< [j][label], label < j: F^label(2^j)

  /// D(n, p, g, l) on the D-BSP in seconds: Σ F^i·g_i + S^i·l_i over the labels that cross the
  /// model's processors, elements of `element_bytes` each; g is for a message of 8 bytes.
  [[nodiscard]] double communication(const machine_model& model) const;
};

[[nodiscard]] case_costs costs_of(const cost_trace& trace, std::size_t element_bytes);

/// Visits the fields, as fields_json.hpp wants it.
template <class Costs, class F>
void each_field(Costs& costs,
                const F& f) requires std::same_as<std::remove_const_t<Costs>, case_costs> {
  f("v", costs.vps);
  f("element_bytes", costs.element_bytes);
  f("S", costs.supersteps);
  f("F", costs.messages);
}

}  // namespace pleat::bench
