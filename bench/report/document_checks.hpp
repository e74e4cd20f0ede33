// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checked_json.hpp"

namespace pleat::bench {

/// Checks that a document has all that the page draws of it, each of the right kind and shape: the
/// page relies on it. What the page does not read may be anything.
///
/// Throws: pleat::usage_error, as checked_json does.
void check_matrices(const checked_json& document);
void check_timeline(const checked_json& document);
void check_topology(const checked_json& document);

/// Checks what the page reads of a sweep beyond its cases, which sweep_from checks.
void check_sweep(const checked_json& document);

}  // namespace pleat::bench
