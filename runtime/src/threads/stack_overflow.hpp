// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

namespace pleat::detail {

/// Makes an overflow of the calling thread's stack write a line on stderr that names the worker,
/// before SIGSEGV does what it did. The first call of a process installs a handler of SIGSEGV,
/// which passes faults elsewhere than in the guard page of such a thread's stack on to the handler
/// there was. The thread handles signals that ask for it (SA_ONSTACK) on a stack of 64 KiB from now
/// on. Requires: a thread that the library has made. Throws: std::bad_alloc.
PLEAT_API void report_stack_overflow(std::size_t worker);

}  // namespace pleat::detail
