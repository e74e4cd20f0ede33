// SPDX-License-Identifier: Apache-2.0
#include <pleat/channels/version.hpp>

#include "bindings.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "What the package pleat is made of: see pleat.";
  m.attr("version") = PLEAT_VERSION;
  pleat::python::add_errors(m);
  pleat::python::add_machine(m);
  pleat::python::add_descriptions(m);
  pleat::python::add_costs(m);
  pleat::python::add_programs(m);
  pleat::python::add_weighted_stencil(m);
}
