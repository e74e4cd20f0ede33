// SPDX-License-Identifier: Apache-2.0
#include "big_block.hpp"

#include <new>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "memory/pages.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

// what make() returns
template <class Make> auto memory_for(std::size_t bytes, const Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw environment_error("no memory for " + readable_bytes(static_cast<double>(bytes)) +
                            "; use a smaller n or a machine with more memory");
  }
}

}  // namespace

big_block::big_block(std::size_t bytes, memory_policy::pages size) {
  if (bytes == 0) return;
  own_ = {memory_for(bytes, [&] { return detail::map_pages(bytes, size); }), bytes};
}

big_block::big_block(std::size_t bytes, machine& on)
    : placed_(memory_for(bytes, [&] { return placed_memory(on, bytes); })) {}

big_block::~big_block() { detail::unmap_pages(own_.data(), own_.size()); }

std::optional<array_pages> look_at(const measured_arrays& arrays) {
  if (arrays.empty()) return std::nullopt;
  array_pages all;
  for (const big_block* one : arrays) {
    all.counts += memory_of(one->bytes());
    all.astray += one->placed().astray();
  }
  return all;
}

std::optional<array_pages> checked_pages(const machine& on, const measured_arrays& arrays) {
  try {
    const auto pages = look_at(arrays);
    if (pages && pages->astray > 0)
      warn(std::to_string(pages->astray) + " of " + std::to_string(pages->counts.present()) +
           " pages are not where memory " + to_string(on.memory()) +
           " put them: the kernel moved them, or a node was full; write 0 to "
           "/proc/sys/kernel/numa_balancing to keep it from that, or take a smaller problem");
    return pages;
  } catch (const environment_error& refusal) {
    if (on.memory() != memory_policy{})
      warn(std::string("what came of memory ") + to_string(on.memory()) +
           " is not known: " + refusal.what());
    return std::nullopt;
  }
}

std::string nodes_text(memory_policy policy) {
  policy.size = {};
  return to_string(policy);
}

nlohmann::ordered_json memory_pages_json(const std::optional<array_pages>& pages) {
  if (!pages) return nullptr;
  auto on_node = nlohmann::ordered_json::object();
  for (const auto& [node, count] : pages->counts.on_node) on_node[std::to_string(node)] = count;
  return {{"page_bytes", pages->counts.page_bytes},
          {"on_node", on_node},
          {"absent", pages->counts.absent},
          {"astray", pages->astray}};
}

}  // namespace pleat::bench
