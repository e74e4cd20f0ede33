// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/distributed/rectangle_exchange.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::distribution {

namespace {

/// Where a part of a rectangle that lies row behind row begins, in bytes.
std::size_t offset_in(const rectangle& whole, const rectangle& part, std::size_t element_bytes) {
  return ((part.rows.first - whole.rows.first) * whole.columns.size() + part.columns.first -
          whole.columns.first) *
         element_bytes;
}

/// The part of a rank's rectangle that begins at `data`, as bytes.
strided_view<const std::byte> bytes_of(const std::byte* data, const rectangle& whole,
                                       const rectangle& part, std::size_t element_bytes) {
  const std::byte* const first = data + offset_in(whole, part, element_bytes);
  const std::size_t row = part.columns.size() * element_bytes;
  if (part.columns.size() == whole.columns.size()) return {first, 1, part.rows.size() * row, row};
  return {first, part.rows.size(), row, whole.columns.size() * element_bytes};
}

/// Copies them, in whichever rows they come, to the part of what is wanted.
void put(const strided_view<const std::byte>& from, const rectangle_request& request,
         const rectangle& wanted, const rectangle& part) {
  const std::size_t row = part.columns.size() * request.element_bytes;
  const std::size_t stride = wanted.columns.size() * request.element_bytes;
  std::byte* to = request.to + offset_in(wanted, part, request.element_bytes);
  for (std::size_t i = 0; i < from.rows; ++i) {
    const std::byte* bytes = from.data + i * from.stride;
    if (row == stride) {
      to = std::copy_n(bytes, from.columns, to);
      continue;
    }
    for (std::size_t taken = 0; taken < from.columns; taken += row, to += stride)
      std::copy_n(bytes + taken, row, to);
  }
}

}  // namespace

task<> rectangle_exchange::operator()(vp& me, const rank_places& places) const {
  const bool first = me.rank() == places[rank_].first;
  if (first) lend_parts(me, places);
  co_await me.sync(0);
  if (first) take_parts(me, places);
}

void rectangle_exchange::lend_parts(vp& me, const rank_places& places) const {
  for (std::size_t to = 0; to < places.size(); ++to) {
    if (to == rank_) continue;
    for (const rectangle_request& request : requests_) {
      const rectangle whole = request.matrix.of(rank_);
      const rectangle part = intersect(request.wanted[to], whole);
      if (part.empty()) continue;
      me.lend(places[to].first, bytes_of(request.mine, whole, part, request.element_bytes));
    }
  }
}

/// Messages come in the order of the ranks, and of each in that of the requests.
void rectangle_exchange::take_parts(vp& me, const rank_places& places) const {
  for (std::size_t from = 0; from < places.size(); ++from) {
    for (const rectangle_request& request : requests_) {
      const rectangle& wanted = request.wanted[rank_];
      const rectangle whole = request.matrix.of(from);
      const rectangle part = intersect(wanted, whole);
      if (part.empty()) continue;
      if (from != rank_) {
        const auto m = me.receive();
        put(m->view<const std::byte>(), request, wanted, part);
      } else if (request.to != nullptr) {
        put(bytes_of(request.mine, whole, part, request.element_bytes), request, wanted, part);
      }
    }
  }
}

}  // namespace pleat::detail::distribution
