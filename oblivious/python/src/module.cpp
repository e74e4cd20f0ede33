// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <unistd.h>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/error.hpp>

#include "bindings.hpp"

namespace pleat::python {
namespace {

namespace py = pybind11;

// Types of exceptions, which live as long as the interpreter.
PyObject* environment_error_type = nullptr;
PyObject* run_error_type = nullptr;

PyObject* new_error(py::module_& in, const char* name, const char* full_name, const char* text) {
  PyObject* const type = PyErr_NewExceptionWithDoc(full_name, text, PyExc_RuntimeError, nullptr);
  if (type == nullptr) throw py::error_already_set();
  in.add_object(name, type);
  return type;
}

void warn(const char* text) {
  const with_lock lock;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text, 1) != 0) throw py::error_already_set();
}

}  // namespace

void add_errors(py::module_& to) {
  detail::tell_warning = &warn;
  environment_error_type =
      new_error(to, "environment_error", "pleat.environment_error",
                "The machine cannot give what was asked for: a processor that does not exist or "
                "may not be used, a thread that cannot be started.");
  run_error_type = new_error(to, "run_error", "pleat.run_error", "A run of a program ended early.");
  // std::bad_alloc is MemoryError by pybind11's own rules.
  py::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const usage_error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const environment_error& e) {
      PyErr_SetString(environment_error_type, e.what());
    } catch (const run_error& e) {
      PyErr_SetString(run_error_type, e.what());
    }
  });
}

namespace {

[[noreturn]] void wait_for_the_end() noexcept {
  for (;;) ::pause();
}

}  // namespace

without_lock::~without_lock() {
  try {
    PyEval_RestoreThread(state_);
  } catch (...) {  // the unwinding of pthread_exit, which goes no further
    wait_for_the_end();
  }
}

with_lock::with_lock() noexcept {
  try {
    state_ = PyGILState_Ensure();
  } catch (...) {
    wait_for_the_end();
  }
}

}  // namespace pleat::python

PYBIND11_MODULE(_core, m) {
  m.doc() = "What the package pleat is made of: see pleat.";
  m.attr("version") = PLEAT_VERSION;
  pleat::python::add_errors(m);
  pleat::python::add_machine(m);
  pleat::python::add_descriptions(m);
  pleat::python::add_costs(m);
  pleat::python::add_programs(m);
}
