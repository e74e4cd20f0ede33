// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/error.hpp>

#include "bindings.hpp"
#include "held_machine.hpp"

template <>
class pybind11::detail::type_caster<pleat::cost_trace>
    : public pleat::python::made_object_caster<pleat::cost_trace> {};

namespace pleat::python {
namespace {

namespace py = pybind11;

// Python's user counts processors, cost_trace their binary logarithm.
unsigned folding(const cost_trace& costs, std::size_t processors) {
  if (!std::has_single_bit(processors) || std::bit_width(processors) - 1U > costs.labels())
    throw usage_error("costs: " + std::to_string(processors) +
                      " processors are no folding; take a power of two up to " +
                      std::to_string(std::size_t{1} << costs.labels()));
  return static_cast<unsigned>(std::bit_width(processors) - 1);
}

py::list supersteps(const cost_trace& costs) {
  py::list all;
  for (const superstep_degrees& step : costs.supersteps())
    all.append(py::make_tuple(step.label, step.h));
  return all;
}

cost_trace counted(held_machine& held) {
  if (held.counted_runs == 0)
    throw usage_error(
        "evaluate: the call did its work without a run; say on how many virtual processors: vps=…");
  if (held.counted_runs > 1)
    throw usage_error("evaluate: the call made " + std::to_string(held.counted_runs) +
                      " runs; give it one array, without a batch");
  return *held.costs;
}

py::tuple state_of(const cost_trace& costs) {
  py::list steps;
  for (const superstep_degrees& step : costs.supersteps())
    steps.append(py::make_tuple(step.label, step.h, step.pairs));
  return py::make_tuple(costs.v(), steps, costs.messages());
}

cost_trace from_state(const py::tuple& state) {
  std::vector<superstep_degrees> steps;
  for (const py::handle one : state[1]) {
    const auto [label, h, pairs] =
        one.cast<std::tuple<unsigned, std::vector<std::uint64_t>, std::uint64_t>>();
    steps.push_back({label, h, pairs});
  }
  return {state[0].cast<std::size_t>(), std::move(steps), state[2].cast<std::uint64_t>()};
}

}  // namespace

void add_costs(py::module_& to) {
  py::class_<cost_trace>(
      to, "costs",
      "What a run costs on every folding of M(v) onto a power of two of processors: see evaluate.")
      .def(py::pickle(&state_of, &from_state))
      .def_property_readonly("v", &cost_trace::v, "Virtual processors.")
      .def_property_readonly("labels", &cost_trace::labels, "L: supersteps have labels below it.")
      .def_property_readonly("messages", &cost_trace::messages,
                             "Messages between different virtual processors.")
      .def_property_readonly("supersteps", &supersteps,
                             "A list of (label, h): h[j] is the degree on 2^j processors.")
      .def("__repr__",
           [](const cost_trace& costs) {
             return "<pleat.costs of M(" + std::to_string(costs.v()) +
                    "): " + std::to_string(costs.supersteps().size()) + " supersteps, " +
                    std::to_string(costs.messages()) + " messages>";
           })
      .def("S", &cost_trace::S, py::arg("label"), "How many supersteps ended with sync(label).")
      .def(
          "F",
          [](const cost_trace& costs, unsigned label, std::size_t processors) {
            return costs.F(label, folding(costs, processors));
          },
          py::arg("label"), py::arg("processors"), "The sum of their degrees.")
      .def(
          "H",
          [](const cost_trace& costs, std::size_t processors, double sigma) {
            return costs.H(folding(costs, processors), sigma);
          },
          py::arg("processors"), py::arg("sigma") = 0.0,
          "Communication complexity: the degrees of all supersteps, and sigma for each.")
      .def(
          "D",
          [](const cost_trace& costs, std::size_t processors, const std::vector<double>& g,
             const std::vector<double>& l) { return costs.D(folding(costs, processors), g, l); },
          py::arg("processors"), py::arg("g"), py::arg("l"),
          "Communication time: a superstep of label i takes g[i] for each message of its degree, "
          "and l[i].")
      .def(
          "wiseness",
          [](const cost_trace& costs, std::size_t processors) {
            return costs.wiseness(folding(costs, processors));
          },
          py::arg("processors"), "The largest alpha for which the run is (alpha, p)-wise.")
      .def(
          "fullness",
          [](const cost_trace& costs, std::size_t processors) {
            return costs.fullness(folding(costs, processors));
          },
          py::arg("processors"), "The largest gamma for which the run is (gamma, p)-full.")
      .attr("__module__") = "pleat";
  to.def("counted", &counted);
}

}  // namespace pleat::python
