// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>

#include <pleat/runtime/detail/process_message_cost.hpp>

#include "processes/link.hpp"

namespace pleat::detail {

/// Measures what messages cost between the first and the last process, which are on different nodes
/// if there are several. All processes call it while they make a machine, and get the same result.
///
/// Cost: eleven messages to and fro, some of 64 KiB, and one more to each process.
/// Throws: usage_error if one of the processes that are waited for has parted; std::bad_alloc.
[[nodiscard]] process_message_cost try_messages(link& by, std::list<link::arrival>& early);

}  // namespace pleat::detail
