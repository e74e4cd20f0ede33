// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace pleat::python {

/// Throws error_already_set if a signal's handler has raised one, KeyboardInterrupt for example.
/// Requires the interpreter's lock.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

// Functions that add to the module what their file defines.
void add_errors(pybind11::module_& to);
void add_machine(pybind11::module_& to);
void add_descriptions(pybind11::module_& to);
void add_programs(pybind11::module_& to);
void add_weighted_stencil(pybind11::module_& to);
void add_costs(pybind11::module_& to);

}  // namespace pleat::python
