// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unistd.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/placed_memory.hpp>

#include "memory/memory_binding.hpp"
#include "memory/pages.hpp"

namespace pleat {

namespace {

using detail::page_placement;

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t small_page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

task<> touch(std::span<std::byte> fresh) {
  // volatile: the store changes no value, but places the page, so it must not be optimised away.
  for (std::size_t at = 0; at < fresh.size(); at += small_page())
    *static_cast<volatile std::byte*>(&fresh[at]) = std::byte{0};
  co_return;
}

/// Tells whether the kernel reports that the process has no memory policy, such as numactl's.
bool nobody_has_placed_memory() {
  try {
    return page_placement::current().is_the_kernels();
  } catch (const environment_error&) {
    return false;  // some containers forbid the call
  }
}

}  // namespace

placed_memory::placed_memory(machine& on, std::size_t bytes) {
  if (bytes == 0) return;
  const memory_policy& policy = on.memory();
  detail::require_free_memory(page_placement::of_workers(policy, on.topology(), on.placement()),
                              bytes, policy.size);
  const bool judged =
      policy.where != memory_policy::nodes::first_touch || nobody_has_placed_memory();
  const std::size_t p = on.processors();
  even_ = policy.where != memory_policy::nodes::weighted_interleave;
  unit_ =
      bytes >= huge_page && policy.size != memory_policy::pages::small ? huge_page : small_page();
  bytes_ = {detail::map_pages(bytes, policy.size), bytes};
  try {
    const std::size_t units = (bytes + unit_ - 1) / unit_;
    for (std::size_t i = 0; i < p; ++i) {
      const std::size_t first = units * i / p * unit_;
      const std::size_t last = std::min(units * (i + 1) / p * unit_, bytes);
      shares_.push_back({bytes_.subspan(first, last - first),
                         judged ? nodes_of_pages(policy, on.topology(), on.placement(), i)
                                : std::vector<unsigned>{}});
    }
    on.run(p, [this](vp& me) { return touch(shares_[me.rank()].bytes); });
  } catch (...) {
    detail::unmap_pages(bytes_.data(), bytes_.size());
    throw;
  }
}

placed_memory::~placed_memory() { detail::unmap_pages(bytes_.data(), bytes_.size()); }

std::uint64_t placed_memory::astray() const {
  std::uint64_t pages = 0;
  for (const share& one : shares_) {
    if (one.nodes.empty()) continue;
    const page_counts counts = memory_of(one.bytes);
    // Interleaving can give one of several nodes one unit more than the others.
    const std::uint64_t even = counts.present() / one.nodes.size();
    const std::uint64_t fair = one.nodes.size() == 1 ? even : even + 2 * unit_ / small_page();
    for (const auto& [node, found] : counts.on_node) {
      const bool wanted = std::ranges::find(one.nodes, node) != one.nodes.end();
      if (!wanted)
        pages += found;
      else if (even_)
        pages += found - std::min(found, fair);
    }
  }
  return pages;
}

}  // namespace pleat
