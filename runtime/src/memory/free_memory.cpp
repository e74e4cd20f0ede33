// SPDX-License-Identifier: Apache-2.0
#include "memory/free_memory.hpp"

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

std::string folder_of(unsigned node) {
  return "/sys/devices/system/node/node" + std::to_string(node) + "/";
}

// Returns the free memory, including file caches, which the kernel can drop. Lines are "Node 0
// MemFree: 9 kB".
std::optional<std::uint64_t> free_bytes(unsigned node) {
  std::ifstream file(folder_of(node) + "meminfo");
  std::uint64_t kilobytes = 0, value = 0;
  std::string word, index, name, unit;
  bool told = false;
  while (file >> word >> index >> name >> value) {
    std::getline(file, unit);
    if (name != "MemFree:" && name != "Active(file):" && name != "Inactive(file):") continue;
    kilobytes += value;
    told = true;
  }
  return told ? std::optional(kilobytes * 1024) : std::nullopt;
}

std::optional<std::uint64_t> free_reserved_bytes(unsigned node) {
  std::ifstream file(folder_of(node) + "hugepages/hugepages-2048kB/free_hugepages");
  std::uint64_t pages = 0;
  return file >> pages ? std::optional(pages << 21) : std::nullopt;
}

}  // namespace

void require_free_memory(std::span<const page_placement> of_workers, std::size_t bytes,
                         memory_policy::pages size) {
  std::map<unsigned, std::uint64_t> wanted;
  for (const page_placement& one : of_workers)
    for (const unsigned node : one.required())
      wanted[node] += bytes / (of_workers.size() * one.required().size()) + 1;
  const bool reserved = size == memory_policy::pages::reserved && bytes >= std::size_t{2} << 20;
  for (const auto& [node, share] : wanted) {
    const auto free = reserved ? free_reserved_bytes(node) : free_bytes(node);
    if (!free || *free >= share) continue;
    const auto mebibytes = [](std::uint64_t n) { return std::to_string((n >> 20) + 1) + " MiB"; };
    throw environment_error("NUMA node " + std::to_string(node) + " has no " + mebibytes(share) +
                            " left" +
                            (reserved ? " in reserved pages: write more into " + folder_of(node) +
                                            "hugepages/hugepages-2048kB/nr_hugepages"
                                      : ": take a smaller problem, or another policy of memory"));
  }
}

}  // namespace pleat::detail
