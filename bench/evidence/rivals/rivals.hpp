// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pleat::bench {

/// Somebody else's way to do what a benchmark measures, as the build found it.
struct rival {
  std::string name;
  std::string version;
  std::string package;  ///< the Debian package that brings it, or CMake's option that names a
                        ///< checkout of it; empty if it comes with the compiler
  bool linked;          ///< found when this program was configured

  /// Tells whether it takes part unasked: a checkout that nobody named is not missed.
  [[nodiscard]] bool expected() const { return linked || !package.starts_with("-D"); }
};

/// Lists every rival, linked or missing; the one place that knows them.
[[nodiscard]] std::span<const rival> all_rivals();

/// Requires: `name` is one of all_rivals.
[[nodiscard]] const rival& rival_named(std::string_view name);

}  // namespace pleat::bench
