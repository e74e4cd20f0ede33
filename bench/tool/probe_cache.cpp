// SPDX-License-Identifier: Apache-2.0
#include "probe_cache.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <unistd.h>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>

#include "output_file.hpp"
#include "probe_report.hpp"

namespace pleat::bench {
namespace {

std::filesystem::path cache_folder() {
  const auto folder = [](const char* variable) -> std::filesystem::path {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
  };
  if (const auto cache = folder("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "pleat";
  if (const auto home = folder("HOME"); home.is_absolute()) return home / ".cache" / "pleat";
  throw environment_error("nowhere to keep a probe: set XDG_CACHE_HOME or HOME, or do not cache");
}

}  // namespace

std::filesystem::path probe_cache_of(const machine& on) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {'h', 'o', 's', 't'};
  std::string name = "probe-" + std::string(host.data());
  for (const auto& processor : on.placement().processors)
    name += "-" + std::to_string(processor.pu);
  constexpr std::size_t longest = 200;  // a file system takes 255
  if (name.size() > longest)
    name = name.substr(0, longest) + "-" + std::to_string(std::hash<std::string>()(name));
  return cache_folder() / (name + ".json");
}

std::optional<nlohmann::ordered_json> load_probe(const std::filesystem::path& cache) {
  std::error_code none;
  if (!std::filesystem::exists(cache, none)) return std::nullopt;
  std::ifstream file(cache, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_probe(text, cache.string());
}

void keep_probe(const std::filesystem::path& cache, const nlohmann::ordered_json& document) {
  std::error_code failure;
  std::filesystem::create_directories(cache.parent_path(), failure);
  if (failure) {
    throw error("cannot make " + cache.parent_path().string() + ": " + failure.message() +
                "; set XDG_CACHE_HOME to a folder that can be written");
  }
  output_file file(cache);
  file.write(document.dump(1) + "\n");
  file.commit();
}

}  // namespace pleat::bench
