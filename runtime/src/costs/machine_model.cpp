// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string_view>

#include <pleat/runtime/machine_model.hpp>

namespace pleat {
namespace {

struct level_prices {
  double g, l;
};

// Makes a model in which `law` gives the costs of an i-cluster as a function of its levels, log2 m.
template <class Law> machine_model grown(std::string_view name, unsigned levels, const Law& law) {
  assert(levels <= 64);
  machine_model model{std::string(name), {}, {}};
  for (unsigned log_m = levels; log_m > 0; --log_m) {
    const level_prices costs = law(log_m);
    model.g.push_back(costs.g);
    model.l.push_back(costs.l);
  }
  return model;
}

bool less_beyond_rounding(double a, double b) { return a < b * (1 - 1e-9); }

std::string comparison(std::string_view what, std::size_t i, double outer, double inner) {
  std::ostringstream line;
  line << what << "_" << i << " = " << outer << " is less than " << what << "_" << i + 1 << " = "
       << inner;
  return line.str();
}

}  // namespace

machine_model uniform(unsigned levels, double g, double l) {
  assert(g > 0 && l >= 0);
  return grown("uniform", levels, [g, l](unsigned) { return level_prices{g, l}; });
}

machine_model mesh_2d(unsigned levels) {
  return grown("mesh", levels, [](unsigned log_m) {
    const double side = std::exp2(log_m / 2.0);
    return level_prices{side, side};
  });
}

machine_model hypercube(unsigned levels) {
  return grown("hypercube", levels, [](unsigned log_m) { return level_prices{1.0, 1.0 * log_m}; });
}

machine_model fat_tree(unsigned levels) {
  return grown("fat-tree", levels, [](unsigned log_m) {
    const double side = std::exp2(log_m / 3.0);
    return level_prices{side, side};
  });
}

machine_model submachine(const machine_model& whole, unsigned levels) {
  assert(levels <= whole.levels() && whole.g.size() == whole.l.size());
  const auto skipped = static_cast<std::ptrdiff_t>(whole.levels() - levels);
  return {whole.name,
          {whole.g.begin() + skipped, whole.g.end()},
          {whole.l.begin() + skipped, whole.l.end()}};
}

std::optional<std::string> violated_condition(const machine_model& model) {
  assert(model.g.size() == model.l.size());
  for (std::size_t i = 0; i + 1 < model.g.size(); ++i) {
    if (less_beyond_rounding(model.g[i], model.g[i + 1]))
      return comparison("g", i, model.g[i], model.g[i + 1]);
    const double outer = model.l[i] / model.g[i], inner = model.l[i + 1] / model.g[i + 1];
    if (less_beyond_rounding(outer, inner)) return comparison("(l/g)", i, outer, inner);
  }
  return std::nullopt;
}

}  // namespace pleat
