// SPDX-License-Identifier: Apache-2.0
#include "interpreter_lock.hpp"

#include <unistd.h>

namespace pleat::python {
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
