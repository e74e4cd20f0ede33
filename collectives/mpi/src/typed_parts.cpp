// SPDX-License-Identifier: Apache-2.0
#include "typed_parts.hpp"

#include <numeric>
#include <utility>

namespace pleat::preloaded {

namespace {

std::vector<typed_part> parts_at(elements all, std::span<const std::size_t> counts,
                                 std::span<const std::ptrdiff_t> places) {
  std::vector<typed_part> parts;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    parts.push_back({all.from(places[r]), counts[r]});
  }
  return parts;
}

}  // namespace

std::vector<std::ptrdiff_t> places_behind(std::span<const std::size_t> counts) {
  std::vector<std::ptrdiff_t> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), std::ptrdiff_t{0});
  return places;
}

typed_parts::typed_parts(std::vector<typed_part> typed, bool apart) : typed_(std::move(typed)) {
  const auto is_packed = [&](const typed_part& one) { return apart || !one.at.of().dense; };
  std::size_t total = 0;
  for (const typed_part& one : typed_) {
    if (is_packed(one)) total += one.count * one.at.of().size;
  }
  packed_ = std::make_unique_for_overwrite<std::byte[]>(total);
  std::byte* next = packed_.get();
  for (const typed_part& one : typed_) {
    const std::size_t bytes = one.count * one.at.of().size;
    parts_.push_back({is_packed(one) ? next : one.at.bytes(), bytes});
    if (is_packed(one)) next += bytes;
  }
}

typed_parts::typed_parts(elements all, std::span<const std::size_t> counts,
                         std::span<const std::ptrdiff_t> places, bool apart)
    : typed_parts(parts_at(all, counts, places), apart) {}

void typed_parts::pack(std::size_t r, const communicator& on) const {
  typed_[r].at.pack(typed_[r].count, parts_[r].data, on);
}

void typed_parts::pack(const communicator& on) const {
  for (std::size_t r = 0; r < typed_.size(); ++r) pack(r, on);
}

void typed_parts::unpack(const communicator& on) const {
  for (std::size_t r = 0; r < typed_.size(); ++r) {
    typed_[r].at.unpack(typed_[r].count, parts_[r].data, on);
  }
}

}  // namespace pleat::preloaded
