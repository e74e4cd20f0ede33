// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_request.hpp"

namespace pleat::bench {

/// Measures the commands of a case in turns, as sample_stream.hpp says, on the processors and with
/// the memory policy of the case and in its environment, which every run inherits. The first run of
/// each is looked at while it lasts: its threads, the processors it may use, its migrations, the
/// nodes of its pages.
///
/// Throws: pleat::error if a command fails, or prints no number that it should; what binds throws.
void measure_commands(const case_request& request);

}  // namespace pleat::bench
