// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// File in which the probe of this machine with this placement is kept: in `$XDG_CACHE_HOME/pleat`,
/// else in `$HOME/.cache/pleat`, named after the host and the PUs of its processors. Throws
/// environment_error if neither variable is set.
[[nodiscard]] std::filesystem::path probe_cache_of(const machine& on);

/// The document kept there; none if there is no file, or one that another version wrote. Throws
/// pleat::error if there is one that cannot be read.
[[nodiscard]] std::optional<nlohmann::ordered_json> load_probe(const std::filesystem::path& cache);

/// Keeps the document there, whole or not at all; folders are made. Throws pleat::error.
void keep_probe(const std::filesystem::path& cache, const nlohmann::ordered_json& document);

}  // namespace pleat::bench
