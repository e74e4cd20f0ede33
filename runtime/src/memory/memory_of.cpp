// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_of.hpp>

namespace pleat {

std::uint64_t page_counts::present() const noexcept {
  std::uint64_t pages = 0;
  for (const auto& [node, count] : on_node) pages += count;
  return pages;
}

page_counts& page_counts::operator+=(const page_counts& other) {
  for (const auto& [node, count] : other.on_node) on_node[node] += count;
  absent += other.absent;
  page_bytes = std::max(page_bytes, other.page_bytes);
  return *this;
}

std::string to_string(const page_counts& counts) {
  const auto share =
      [all = static_cast<double>(counts.present() + counts.absent)](std::uint64_t pages) {
        char text[16];
        std::snprintf(text, sizeof text, "%.3g %%", 100 * static_cast<double>(pages) / all);
        return std::string(text);
      };
  std::string text;
  for (const auto& [node, pages] : counts.on_node)
    text += (text.empty() ? "node " : ", node ") + std::to_string(node) + ": " + share(pages);
  if (counts.absent != 0) text += (text.empty() ? "absent: " : ", absent: ") + share(counts.absent);
  return text.empty() ? "no pages" : text;
}

page_counts memory_of(std::span<const std::byte> memory) {
  page_counts counts;
  counts.page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (memory.empty()) return counts;
  constexpr std::size_t at_once = 4096;
  std::array<const void*, at_once> pages;
  std::array<int, at_once> status;
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
  std::uintptr_t page = first - first % counts.page_bytes;
  const std::uintptr_t end = first + memory.size();
  while (page < end) {
    std::size_t n = 0;
    for (; n < at_once && page < end; page += counts.page_bytes)
      pages[n++] = reinterpret_cast<const void*>(page);
    // Without target nodes, move_pages only reports where the pages are.
    if (::syscall(SYS_move_pages, 0, n, pages.data(), nullptr, status.data(), 0) != 0) {
      throw environment_error(
          std::string("the kernel does not tell where pages are (move_pages: ") +
          std::strerror(errno) +
          "): in a container, allow move_pages (Docker: --cap-add SYS_NICE)");
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (status[i] >= 0)
        ++counts.on_node[static_cast<unsigned>(status[i])];
      else
        ++counts.absent;
    }
  }
  return counts;
}

}  // namespace pleat
