// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mpi.h>
#include <mutex>

namespace pleat::preloaded {

/// Use of a datatype or operator by a call. The program may free it while a call runs: it is freed
/// when the last call has ended.
///
/// Thread safety: each object one thread at a time.
template <class Handle, auto Free> class held {
 public:
  explicit held(Handle handle) : handle_(handle) {
    const std::lock_guard lock(uses().guard);
    ++uses().all[handle].number;
  }
  held(const held&) = delete;
  held& operator=(const held&) = delete;
  ~held() {
    if (is_last_of_freed()) Free(&handle_);  // which may call functions of the program
  }

  /// Puts off that the program frees a handle; returns false if no call uses it.
  static bool put_off(Handle handle) {
    const std::lock_guard lock(uses().guard);
    const auto at = uses().all.find(handle);
    if (at == uses().all.end()) return false;
    return at->second.freed = true;
  }

 private:
  struct use {
    int number = 0;
    bool freed = false;
  };
  struct all_uses {
    std::mutex guard;
    std::map<Handle, use> all;
  };
  static all_uses& uses() {
    static auto& one = *new all_uses;  // NOLINT(cppcoreguidelines-owning-memory)
    return one;
  }

  bool is_last_of_freed() {
    const std::lock_guard lock(uses().guard);
    const auto at = uses().all.find(handle_);
    if (--at->second.number != 0) return false;
    const bool freed = at->second.freed;
    uses().all.erase(at);
    return freed;
  }

  Handle handle_;
};
using held_type = held<MPI_Datatype, PMPI_Type_free>;
using held_op = held<MPI_Op, PMPI_Op_free>;

/// Frees a handle for the program, now or later.
template <class Held, auto Free, class Handle> int freed(Handle* handle, Handle null) {
  if (!Held::put_off(*handle)) return Free(handle);
  *handle = null;
  return MPI_SUCCESS;
}

}  // namespace pleat::preloaded
