// SPDX-License-Identifier: Apache-2.0
#include "memory/pages.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <linux/mman.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_of.hpp>

namespace pleat::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

constexpr std::size_t mapped(std::size_t bytes) {
  return bytes < huge_page ? round_up(bytes, 4096) : round_up(bytes, huge_page);
}

std::byte* try_to_map(std::size_t bytes, int more_flags) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags,
                   -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

std::byte* map(std::size_t bytes) {
  std::byte* const p = try_to_map(bytes, 0);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

std::byte* map_reserved(std::size_t bytes) {
  std::byte* const p = try_to_map(bytes, MAP_HUGETLB | MAP_HUGE_2MB);
  if (p == nullptr) {
    const std::string pages = std::to_string(bytes / huge_page);
    throw environment_error("memory hugetlb: the kernel has no " + pages +
                            " pages of 2 MiB in reserve: `sysctl vm.nr_hugepages=" + pages +
                            "` or more as root, or choose thp");
  }
  return p;
}

}  // namespace

std::byte* map_pages(std::size_t bytes, memory_policy::pages pages) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  const std::size_t size = mapped(bytes);
  if (size < huge_page) return map(size);
  if (pages == memory_policy::pages::reserved) return map_reserved(size);
  // Maps one huge page more, and then unmaps both ends, so that the rest begins on a boundary.
  std::byte* raw = map(size + huge_page);
  const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(raw), huge_page) -
                             reinterpret_cast<std::uintptr_t>(raw);
  if (before != 0) ::munmap(raw, before);
  if (before != huge_page) ::munmap(raw + before + size, huge_page - before);
  // Only a hint: without transparent huge pages everything works, with more TLB misses.
  ::madvise(raw + before, size,
            pages == memory_policy::pages::small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
  return raw + before;
}

void unmap_pages(std::byte* first, std::size_t bytes) noexcept {
  if (first == nullptr) return;
  red_zones::lift(first, bytes);
  ::munmap(first, mapped(bytes));
}

}  // namespace pleat::detail

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
    if (::syscall(SYS_move_pages, 0, n, pages.data(), nullptr, status.data(), 0) != 0)
      throw environment_error(
          std::string("the kernel does not tell where pages are (move_pages: ") +
          std::strerror(errno) +
          "): in a container, allow move_pages (Docker: --cap-add SYS_NICE)");
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
