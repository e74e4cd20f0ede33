// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace pleat::python {

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

}  // namespace pleat::python
