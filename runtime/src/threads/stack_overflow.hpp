// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

namespace pleat::detail {

/// Makes an overflow of the calling thread's stack write a line on stderr that names the worker,
/// before the previous handler of SIGSEGV runs. The first call of a process installs a handler of
/// SIGSEGV, which forwards faults outside the guard page of such a thread's stack to the previous
/// handler. From now on the thread handles signals with SA_ONSTACK on a stack of 64 KiB. Requires:
/// the library has made the thread. Throws: std::bad_alloc.
void report_stack_overflow(std::size_t worker);

}  // namespace pleat::detail
