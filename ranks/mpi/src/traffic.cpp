// SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <cstring>

#include <pleat/runtime/detail/memory.hpp>

#include "check.hpp"
#include "processes/wire.hpp"

namespace pleat::mpi {

namespace {

constexpr std::size_t most_spare = 16;
constexpr std::size_t most_recycled = 65536;  // bytes

void copy_loan(enclosure& one) {
  const std::size_t bytes = one.bytes();
  auto* const copy = static_cast<std::byte*>(detail::take_memory(bytes, one.alignment));
  one.memory = byte_buffer::of(copy, bytes);
  detail::copy_rows(one.lent, copy);
}

std::size_t bytes_of(std::span<byte_buffer* const> parts) {
  std::size_t bytes = 0;
  for (const byte_buffer* const part : parts) bytes += part->size();
  return bytes;
}

}  // namespace

void traffic::sending::begin() noexcept {
  front.clear();
  extents.clear();
  parts.clear();
  beside.clear();
  requests.clear();
}

void traffic::sending::compose(const front_head& head, std::span<byte_buffer* const> from) {
  front.reserve(sizeof head + head.behind());
  compose_front(head, extents, from, [&](const void* data, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(data);
    front.insert(front.end(), first, first + bytes);
  });
}

traffic::traffic(MPI_Comm own, MPI_Comm node, bool reads, int number)
    : link(rank_in(own), size_of(own)),
      comm_(own),
      rings_(own, node, reads),
      begun_fronts_(rings_.from_others().size()),
      fronts_(own),
      by_mpi_(size_of(own) - 1 - begun_fronts_.size()),
      begun_(size_of(own)),
      received_(begun_.size()),
      ours_(begun_.size()),
      theirs_(begun_.size()),
      number_(number) {
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  recycled_.reserve(most_spare);
}

traffic::~traffic() {
  if (!is_open()) return;
  fronts_.cancel();
  MPI_Comm_free(&comm_);
}

void traffic::post(std::size_t to, std::span<byte_buffer* const> parts,
                   std::span<enclosure> beside) {
  node_rings::outgoing* const near = rings_.to(to);
  if (near != nullptr && near->in_use) {
    const front_head head = head_of(bytes_of(parts), beside.size(), near->ring.longest());
    if (near->ring.has_room_for(sizeof head + head.behind()))
      return post(to, head, &near->ring, parts, beside);
  }
  front_head head = head_of(bytes_of(parts), beside.size(), most_of_front);
  if (near == nullptr) return post(to, head, nullptr, parts, beside);
  const bool leaves_ring = near->in_use;
  head.ring_next = !leaves_ring && near->ring.drained() ? 1 : 0;
  if (!leaves_ring) {
    post(to, head, nullptr, parts, beside);
    near->in_use = head.ring_next != 0;
    return;
  }
  near->ring.send_empty();
  near->in_use = false;
  post(to, head, nullptr, parts, beside);
}

/// Sends a message whose front goes through a ring, or through MPI if that is null.
void traffic::post(std::size_t to, const front_head& head, ring_sender* ring,
                   std::span<byte_buffer* const> parts, std::span<enclosure> beside) {
  if (ring != nullptr && head.is_all()) {
    ring->send([&](const auto& put) { compose_front(head, {}, parts, put); });
    ++ours_[to];
    return;
  }
  if (spare_.empty()) spare_.emplace_back();
  sending& one = spare_.front();
  one.begin();
  const bool reads_us = rings_.reads_us(to);
  for (enclosure& each : beside) {
    if (each.memory.empty() && !reads_us) copy_loan(each);
    if (each.memory.empty())
      one.extents.push_back({each.alignment, rings_.loan(), each.lent});
    else
      one.extents.push_back({each.alignment, 0, {nullptr, 1, each.bytes(), 0, 1, 0, false}});
  }
  const bool copied = head.has_bytes != 0;
  std::vector<pieces> behind;
  if (!head.has_extents())
    behind.emplace_back().add(reinterpret_cast<std::byte*>(one.extents.data()),
                              one.extents.size() * sizeof(extent));
  pieces rest;
  for (const byte_buffer* const part : parts) {
    if (!copied) rest.add(part->begin(), part->size());
  }
  if (!rest.empty()) behind.push_back(std::move(rest));
  for (const enclosure& each : beside) {
    if (!each.memory.empty()) behind.emplace_back().add(each.memory.begin(), each.memory.size());
  }
  for (pieces& each : behind) each.complete();
  one.requests.reserve(1 + behind.size());
  one.parts.reserve(parts.size());
  one.beside.reserve(beside.size());
  if (ring == nullptr) one.compose(head, parts);

  // From here on nothing throws.
  const int destination = static_cast<int>(to);
  if (ring != nullptr) {
    ring->send([&](const auto& put) { compose_front(head, one.extents, parts, put); });
  } else {
    MPI_Isend(one.front.data(), static_cast<int>(one.front.size()), MPI_BYTE, destination,
              front_tag, comm_, &one.requests.emplace_back());
  }
  for (const pieces& each : behind)
    each.send(destination, tag_behind(ours_[to]), comm_, &one.requests.emplace_back());
  ++ours_[to];
  mpi_sends_ |= !one.requests.empty();
  for (byte_buffer* const part : parts) {
    if (!copied) one.parts.push_back(std::move(*part));
  }
  for (enclosure& each : beside) one.beside.push_back(std::move(each));
  if (!is_gone(one)) sendings_.splice(sendings_.end(), spare_, spare_.begin());
}

/// Tells whether all of a message is gone; MPIs have often sent a short one at once. Then frees it.
bool traffic::is_gone(sending& one) {
  int done = 0;
  MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done,
              MPI_STATUSES_IGNORE);
  if (done != 0) one.begin();
  return done != 0;
}

void traffic::free_what_is_sent() {
  for (auto one = sendings_.begin(); one != sendings_.end();) {
    const auto at = one++;
    if (!is_gone(*at)) continue;
    if (spare_.size() < most_spare)
      spare_.splice(spare_.end(), sendings_, at);
    else
      sendings_.erase(at);
  }
}

void traffic::recycle(arrival&& from) noexcept {
  arrival read = std::move(from);  // what is beside it is freed
  const std::size_t kept = read.bytes.memory().size();
  if (recycled_.size() == most_spare || kept == 0 || kept > most_recycled) return;
  read.bytes.clear();
  recycled_.push_back(std::move(read.bytes));
}

/// Takes a front if one has come. Returns the message if that is all of it and its turn. Takes no
/// second one, because reading what that lends would delay the message before it.
std::optional<arrival> traffic::take_front() {
  std::optional<arrival> all;
  const std::span<node_rings::incoming> rings = rings_.from_others();
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (++next_ring_ >= rings.size()) next_ring_ = 0;
    node_rings::incoming& from = rings[next_ring_];
    while (from.in_use && from.ring.ready()) {
      all = take_slot(from, begun_fronts_[next_ring_]);
      if (begun_fronts_[next_ring_].missing == 0) return all;
    }
  }
  // A send that MPI calls complete may still need the sender to call MPI.
  const bool looks = by_mpi_ != 0 || (mpi_sends_ && ++polls_ % 64 == 0);
  const std::byte* const from = looks ? fronts_.poll() : nullptr;
  if (from == nullptr) return all;
  const std::size_t source = fronts_.source();
  node_rings::incoming* const near = rings_.from(source);
  if (near != nullptr && near->in_use) return all;  // those in the ring are older
  const auto head = detail::load_payload<front_head>(from);
  byte_buffer behind = memory_for(head.behind());
  if (head.behind() != 0)
    std::memcpy(behind.append(head.behind()), from + sizeof head, head.behind());
  all = begin_message(source, head, std::move(behind));
  fronts_.taken();
  if (head.ring_next != 0) {
    near->in_use = true;
    --by_mpi_;
  }
  if (!head.is_all() && head.has_extents()) receive_beside(receivings_.back());
  return all;
}

/// Takes a slot of a ring, which has a front, or a part of one that fills several.
std::optional<arrival> traffic::take_slot(node_rings::incoming& from, begun_front& last) {
  std::optional<arrival> all;
  std::span<const std::byte> slot = from.ring.content();
  if (slot.empty()) {
    from.ring.pop();
    from.in_use = false;
    ++by_mpi_;
    return all;
  }
  const bool begins = last.missing == 0;
  const auto head = begins ? detail::load_payload<front_head>(slot.data()) : last.head;
  if (begins) {
    slot = slot.subspan(sizeof head);
    last.rest = memory_for(head.behind());
  }
  const std::size_t missing = (begins ? head.behind() : last.missing) - slot.size();
  const std::size_t before = last.rest.size();
  if (!slot.empty()) std::memcpy(last.rest.append(slot.size()), slot.data(), slot.size());
  try {
    if (missing == 0) all = begin_message(from.source, head, std::move(last.rest));
  } catch (...) {
    last.rest.resize_down(before);
    throw;
  }
  last.head = head;
  last.missing = missing;
  from.ring.pop();
  if (missing == 0 && !head.is_all() && head.has_extents()) receive_beside(receivings_.back());
  return all;
}

byte_buffer traffic::memory_for(std::size_t bytes) {
  byte_buffer memory;
  if (!recycled_.empty()) {
    memory = std::move(recycled_.back());
    recycled_.pop_back();
  }
  memory.reserve(bytes);
  return memory;
}

/// Begins a message of which `behind` has what follows the head of its front. Returns the message
/// if that is all of it and its turn.
std::optional<arrival> traffic::begin_message(std::size_t source, const front_head& head,
                                              byte_buffer&& behind) {
  std::optional<arrival> all;
  if (head.is_all() && begun_[source] == received_[source]) {
    all.emplace(arrival{source, std::move(behind), {}});
    ++received_[source];
  } else {
    receive_behind(source, head, behind.begin());
  }
  ++begun_[source];
  return all;
}

void traffic::receive_behind(std::size_t source, const front_head& head, const std::byte* behind) {
  std::list<receiving> made(1);
  receiving& one = made.front();
  one.content.from = source;
  one.tag = tag_behind(begun_[source]);
  one.extents.resize(head.beside);
  one.content.beside.reserve(one.extents.size());
  const auto bytes = static_cast<std::size_t>(head.bytes);
  std::byte* const memory = one.content.bytes.append(bytes);
  const std::size_t of_extents = one.extents.size() * sizeof(extent);
  const std::size_t extents_here = head.extents_here() * sizeof(extent);
  if (extents_here != 0) std::memcpy(one.extents.data(), behind, extents_here);
  pieces extents, rest;
  if (head.has_bytes != 0)
    std::memcpy(memory, behind + extents_here, bytes);
  else
    rest.add(memory, bytes);
  if (!head.has_extents())
    extents.add(reinterpret_cast<std::byte*>(one.extents.data()), of_extents);
  one.requests.reserve(2 + one.extents.size());
  for (pieces* const more : {&extents, &rest}) {
    if (more->empty()) continue;
    more->complete();
    more->receive(static_cast<int>(source), one.tag, comm_,
                  &one.requests.emplace_back(MPI_REQUEST_NULL));
  }
  receivings_.splice(receivings_.end(), made);
}

/// Receives as many enclosures as there is memory for; the rest when this is called again.
void traffic::receive_beside(receiving& one) {
  while (one.content.beside.size() < one.extents.size()) {
    const extent& next = one.extents[one.content.beside.size()];
    const std::size_t bytes = next.bytes();
    auto* const memory = static_cast<std::byte*>(
        detail::take_memory(bytes, static_cast<std::size_t>(next.alignment)));
    byte_buffer made = byte_buffer::of(memory, bytes);
    if (next.loan != 0) {
      one.broken |= !rings_.read(one.content.from, next.content, next.loan, memory);
      one.content.beside.push_back(std::move(made));
      continue;
    }
    pieces all;
    all.add(memory, bytes);
    all.complete();
    one.content.beside.push_back(std::move(made));
    all.receive(static_cast<int>(one.content.from), one.tag, comm_,
                &one.requests.emplace_back(MPI_REQUEST_NULL));
  }
}

bool traffic::has_come(receiving& one) {
  int done = 0;
  MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done,
              MPI_STATUSES_IGNORE);
  if (done == 0 || one.content.beside.size() == one.extents.size()) return done != 0;
  one.requests.clear();
  one.requests.reserve(one.extents.size());
  receive_beside(one);
  return false;
}

/// Tells whether a message is the oldest one from its rank, though a later one may be complete
/// first.
bool traffic::is_in_turn(const receiving& one) const {
  const auto first = std::ranges::find(receivings_, one.content.from,
                                       [](const receiving& each) { return each.content.from; });
  return &*first == &one;
}

std::optional<arrival> traffic::poll() {
  if (!sendings_.empty()) free_what_is_sent();
  if (std::optional<arrival> all = take_front()) return all;
  for (auto one = receivings_.begin(); one != receivings_.end(); ++one) {
    if (!has_come(*one) || !is_in_turn(*one)) continue;
    ++received_[one->content.from];
    const bool broken = one->broken;
    arrival all = std::move(one->content);
    receivings_.erase(one);
    if (broken) return poll();
    return all;
  }
  return std::nullopt;
}

}  // namespace pleat::mpi
