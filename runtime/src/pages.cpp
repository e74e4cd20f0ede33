// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <new>
#include <sys/mman.h>

#include <pleat/runtime/detail/pages.hpp>

namespace pleat::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

constexpr std::size_t mapped(std::size_t bytes) {
  return bytes < huge_page ? round_up(bytes, 4096) : round_up(bytes, huge_page);
}

std::byte* map(std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(p);
}

}  // namespace

std::byte* map_pages(std::size_t bytes) {
  const std::size_t size = mapped(bytes);
  if (size < huge_page) return map(size);
  // Over-map by one huge page, then cut both ends so that what is left begins on a boundary.
  std::byte* raw = map(size + huge_page);
  const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(raw), huge_page) -
                             reinterpret_cast<std::uintptr_t>(raw);
  if (before != 0) ::munmap(raw, before);
  if (before != huge_page) ::munmap(raw + before + size, huge_page - before);
  // Advice only: without transparent huge pages everything works, with more TLB misses.
  ::madvise(raw + before, size, MADV_HUGEPAGE);
  return raw + before;
}

void unmap_pages(std::byte* first, std::size_t bytes) noexcept {
  if (first != nullptr) ::munmap(first, mapped(bytes));
}

}  // namespace pleat::detail
