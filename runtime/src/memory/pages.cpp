// SPDX-License-Identifier: Apache-2.0
#include "memory/pages.hpp"

#include <cstdint>
#include <limits>
#include <linux/mman.h>
#include <new>
#include <string>
#include <sys/mman.h>

#include <pleat/runtime/detail/red_zones.hpp>
#include <pleat/runtime/error.hpp>

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
