// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <vector>

#include "data/typed_parts.hpp"
#include "engines/engines.hpp"

namespace pleat::preloaded {

task reduce_parts_in_order(communicator& on, operation what, elements in, elements own,
                           std::span<const std::size_t> counts, combining op, std::size_t radix) {
  const typed_parts out(in, counts);
  out.pack(on);
  std::vector<std::size_t> sizes;
  for (const part& one : out.get()) sizes.push_back(one.bytes);
  const std::size_t bytes = sizes[on.rank()];
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(on.size() * bytes);
  std::vector<part> coming;
  for (std::size_t r = 0; r < on.size(); ++r) coming.push_back({memory.get() + r * bytes, bytes});
  const task exchanged = exchange(on, what, out.get(), coming, sizes, radix);
  co_await exchanged;

  const std::size_t mine = counts[on.rank()];
  const element_memory first(mine, *op.of);
  const element_memory second(mine, *op.of);
  elements sum = first.get();
  elements next = second.get();
  for (const part& one : coming) {
    next.unpack(mine, one.data, on);
    if (&one != &coming.front()) op(sum, next, mine);
    std::swap(sum, next);
  }
  sum.copy_to(mine, own, on);
}

}  // namespace pleat::preloaded
