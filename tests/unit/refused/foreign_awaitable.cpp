// SPDX-License-Identifier: Apache-2.0
#include <coroutine>

#include <pleat/runtime/machine.hpp>

pleat::task<> program(pleat::vp&) { co_await std::suspend_always{}; }
