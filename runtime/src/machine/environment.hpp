// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <pleat/runtime/machine_options.hpp>

namespace pleat::detail {

/// Values of the PLEAT_* variables. Each is read only when it is needed: if an argument is given,
/// its variable is not read. Throw: usage_error that names the variable.
namespace environment {

[[nodiscard]] PLEAT_API std::optional<unsigned> processors();    // PLEAT_NUM_PROCESSORS
[[nodiscard]] PLEAT_API std::optional<machine_options> place();  // PLEAT_PLACE: place, workers
[[nodiscard]] PLEAT_API std::optional<wait_policy> wait();       // PLEAT_WAIT
[[nodiscard]] PLEAT_API std::optional<memory_policy> memory();   // PLEAT_MEMORY
[[nodiscard]] std::optional<bool> thread_each();                 // PLEAT_THREAD_EACH
[[nodiscard]] PLEAT_API bool pin();                              // PLEAT_PIN
[[nodiscard]] std::optional<std::size_t> stack();                // PLEAT_STACK, in bytes
[[nodiscard]] bool claim_cores();                                // PLEAT_CLAIM_CORES, else yes
[[nodiscard]] std::optional<std::size_t> cache();                // PLEAT_CACHE, in bytes
[[nodiscard]] PLEAT_API bool read_processes();                   // PLEAT_READ_PROCESSES, else yes
[[nodiscard]] bool show_binding();                               // PLEAT_SHOW_BINDING
[[nodiscard]] bool show_overflow();                              // PLEAT_SHOW_OVERFLOW

}  // namespace environment

}  // namespace pleat::detail
