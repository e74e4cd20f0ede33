// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <string>

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
void add_costs(pybind11::module_& to);

// Locks for the end of the interpreter: while it ends, threads other than the one that ends it do
// not get its lock any more. Before version 3.14 Python then ends the thread from within, which
// unwinds its stack: through destructors and coroutines that may not throw, and without the lock
// through destructors of Python's objects. A thread that wants it by way of these classes waits for
// the process's end instead, as all do since 3.14.

/// Lets others have the interpreter's lock as long as it lives. Requires that the thread holds it.
class without_lock {
 public:
  without_lock() noexcept : state_(PyEval_SaveThread()) {}
  without_lock(const without_lock&) = delete;
  without_lock& operator=(const without_lock&) = delete;
  ~without_lock();

 private:
  PyThreadState* state_;
};

/// The interpreter's lock, for a thread of Python's that has a without_lock.
class with_lock {
 public:
  with_lock() noexcept;
  with_lock(const with_lock&) = delete;
  with_lock& operator=(const with_lock&) = delete;
  ~with_lock() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// Refuses objects that `T.__new__(T)` has made and nobody has initialised: pybind11 would hand
/// over memory in which there is no T. Throws: TypeError.
template <class T> class made_object_caster : public pybind11::detail::type_caster_base<T> {
 public:
  bool load(pybind11::handle from, bool convert) {
    if (pybind11::isinstance<T>(from)) {
      auto* const object = reinterpret_cast<pybind11::detail::instance*>(from.ptr());
      if (!object->get_value_and_holder().holder_constructed())
        throw pybind11::type_error("pleat: this object has not been made by its class; call " +
                                   std::string(pybind11::str(pybind11::type::of(from))) + "(…)");
    }
    return pybind11::detail::type_caster_base<T>::load(from, convert);
  }
};

}  // namespace pleat::python
