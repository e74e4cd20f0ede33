// SPDX-License-Identifier: Apache-2.0
#include "processor_relation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "measure/statistics.hpp"

namespace pleat::bench {
namespace {

const processing_unit& unit_of(const topology& on, unsigned pu) {
  return on.units()[*on.find_pu(pu)];
}

const topology_object& joined_by(const topology& on, unsigned pu, unsigned other) {
  return on.objects()[on.common_object(unit_of(on, pu).object, unit_of(on, other).object)];
}

// "L3" of "L3 L#0": the kind without the index.
std::string kind_of(const topology_object& object) {
  return object.name.substr(0, object.name.find(" L#"));
}

}  // namespace

std::string relation_of(const topology& on, unsigned pu, unsigned other) {
  if (unit_of(on, pu).core == unit_of(on, other).core) return "hardware threads of one core";
  return "cores within one " + kind_of(joined_by(on, pu, other));
}

std::vector<processor_relation> relations(const topology& on, std::span<const unsigned> pus,
                                          const measured_matrix& matrix) {
  // The depth first, so that the map has the farthest first.
  std::map<std::pair<unsigned, std::string>, std::vector<double>> medians;
  for (std::size_t row = 0; row < pus.size(); ++row) {
    for (std::size_t column = row + 1; column < pus.size(); ++column) {
      const auto& cell = matrix.at(row, column);
      if (!cell) continue;
      const auto name = relation_of(on, pus[row], pus[column]);
      medians[{joined_by(on, pus[row], pus[column]).depth, name}].push_back(cell->median);
    }
  }
  std::vector<processor_relation> result;
  for (const auto& [relation, values] : medians) {
    const auto [least, most] = std::ranges::minmax(values);
    result.push_back(
        {relation.second, relation.first, values.size(), quantile(values, 0.5), least, most});
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace pleat::bench
