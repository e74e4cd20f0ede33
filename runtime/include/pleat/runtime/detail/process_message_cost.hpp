// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pleat::detail {

/// Cost of a message between two processes of a machine: `start` + `per_byte` · bytes, in seconds.
struct process_message_cost {
  double start = 0;
  double per_byte = 0;
};

}  // namespace pleat::detail
