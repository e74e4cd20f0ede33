// SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>

#include "communicator.hpp"
#include "pieces.hpp"
#include "processes/wire.hpp"

namespace pleat::mpi {

namespace {

constexpr std::size_t most_spare = 16;

void copy_loan(detail::link::enclosure& one) {
  const std::size_t bytes = one.bytes();
  auto* const copy = static_cast<std::byte*>(detail::take_memory(bytes, one.alignment));
  one.memory = detail::byte_buffer::of(copy, bytes);
  detail::copy_rows(one.lent, copy);
}

std::size_t bytes_of(std::span<detail::byte_buffer* const> parts) {
  std::size_t bytes = 0;
  for (const detail::byte_buffer* const part : parts) bytes += part->size();
  return bytes;
}

}  // namespace

traffic::traffic(MPI_Comm own, MPI_Comm node, bool reads, int number)
    : comm_(own),
      neighbours_(own, node, reads),
      fronts_(own),
      begun_(size_of(own)),
      received_(begun_.size()),
      ours_(begun_.size()),
      theirs_(begun_.size()),
      unfinished_(begun_.size()),
      number_(number) {
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  recycled_.reserve(most_spare);
}

traffic::~traffic() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  fronts_.cancel();
  MPI_Comm_free(&comm_);
}

/// Sends a front behind which there is nothing. MPIs have often sent it when they return.
void traffic::post_front(std::size_t to, const front::head& head,
                         std::span<detail::byte_buffer* const> parts) {
  sending& one = spare_.front();
  const std::size_t all = sizeof head + static_cast<std::size_t>(head.bytes);
  const std::size_t most = front::most_at_once(neighbours_.reads_us(to));
  one.requests.resize((all + most - 1) / most);
  one.first.clear();
  one.first.put(&head, sizeof head);
  for (const detail::byte_buffer* const part : parts) one.first.put(part->begin(), part->size());
  std::size_t first = 0;
  for (MPI_Request& request : one.requests) {
    const std::size_t some = std::min(all - first, most);
    MPI_Isend(one.first.memory() + first, static_cast<int>(some), MPI_BYTE, static_cast<int>(to),
              front::tag, comm_, &request);
    first += some;
  }
  int done = 0;
  if (one.requests.size() == 1)
    MPI_Test(one.requests.data(), &done, MPI_STATUS_IGNORE);
  else
    MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done,
                MPI_STATUSES_IGNORE);
  if (done == 0) sendings_.splice(sendings_.end(), spare_, spare_.begin());
  ++ours_[to];
}

void traffic::post(std::size_t to, std::span<detail::byte_buffer* const> parts,
                   std::span<detail::link::enclosure> beside) {
  if (spare_.empty()) spare_.emplace_back();
  const front::head head{bytes_of(parts), beside.size()};
  if (head.is_all()) return post_front(to, head, parts);
  sending& one = spare_.front();
  one.extents.clear();
  const bool reads_us = neighbours_.reads_us(to);
  for (detail::link::enclosure& each : beside) {
    if (each.memory.empty() && !reads_us) copy_loan(each);
    if (each.memory.empty())
      one.extents.push_back({each.alignment, neighbours_.loan(), each.lent});
    else
      one.extents.push_back({each.alignment, 0, {nullptr, 1, each.bytes(), 0, 1, 0, false}});
  }
  one.first.clear();
  one.first.put(&head, sizeof head);
  if (head.has_extents() && !beside.empty())
    one.first.put(one.extents.data(), one.extents.size() * sizeof(extent));
  pieces first, rest;
  const bool copied = head.has_bytes();
  std::vector<pieces> behind;
  if (!head.has_extents()) {
    behind.emplace_back().add(reinterpret_cast<std::byte*>(one.extents.data()),
                              one.extents.size() * sizeof(extent));
  }
  for (const detail::byte_buffer* const part : parts) {
    if (copied)
      one.first.put(part->begin(), part->size());
    else
      rest.add(part->begin(), part->size());
  }
  first.add(one.first.memory(), one.first.position());
  if (!rest.empty()) behind.push_back(std::move(rest));
  for (const detail::link::enclosure& each : beside) {
    if (!each.memory.empty()) behind.emplace_back().add(each.memory.begin(), each.memory.size());
  }
  first.complete();
  for (pieces& each : behind) each.complete();
  one.requests.resize(1 + behind.size());
  one.parts.reserve(parts.size());
  one.beside.reserve(beside.size());

  // From here on nothing throws.
  const int destination = static_cast<int>(to);
  first.send(destination, front::tag, comm_, one.requests.data());
  const int tag = front::tag_behind(ours_[to]);
  for (std::size_t i = 0; i < behind.size(); ++i)
    behind[i].send(destination, tag, comm_, &one.requests[1 + i]);
  for (detail::byte_buffer* const part : parts) {
    if (!copied) one.parts.push_back(std::move(*part));
  }
  for (detail::link::enclosure& each : beside) one.beside.push_back(std::move(each));
  ++ours_[to];
  sendings_.splice(sendings_.end(), spare_, spare_.begin());
}

void traffic::free_what_is_sent() {
  for (auto one = sendings_.begin(); one != sendings_.end();) {
    int done = 0;
    MPI_Testall(static_cast<int>(one->requests.size()), one->requests.data(), &done,
                MPI_STATUSES_IGNORE);
    const auto at = one++;
    if (done == 0) continue;
    at->parts.clear();
    at->beside.clear();
    if (spare_.size() < most_spare)
      spare_.splice(spare_.end(), sendings_, at);
    else
      sendings_.erase(at);
  }
}

void traffic::recycle(detail::link::arrival&& from) noexcept {
  detail::link::arrival read = std::move(from);  // what is beside it is freed
  const std::size_t kept = read.bytes.memory().size();
  if (recycled_.size() == most_spare || kept == 0 || kept > front::size) return;
  read.bytes.clear();
  recycled_.push_back(std::move(read.bytes));
}

/// Looks whether a front has come. Returns the message if that is all of it and its turn.
std::optional<detail::link::arrival> traffic::take_front() {
  while (front* const from = fronts_.poll()) {
    const std::size_t source = fronts_.source();
    const bool goes_on = unfinished_[source].missing != 0;
    std::optional<detail::link::arrival> all =
        goes_on ? go_on(*from, source) : begin_message(*from, source);
    if (all || unfinished_[source].missing == 0) return all;
  }
  return std::nullopt;
}

std::optional<detail::link::arrival> traffic::begin_message(front& from, std::size_t source) {
  front::head head{};
  from.get(&head, sizeof head);
  const auto bytes = static_cast<std::size_t>(head.bytes);
  const bool in_turn = begun_[source] == received_[source];
  const std::size_t most = front::most_at_once(neighbours_.we_read(source));
  const bool in_several = head.is_all() && sizeof head + bytes > most;
  std::optional<detail::link::arrival> all;
  if (head.is_all() && (in_turn || in_several)) {
    detail::byte_buffer memory;
    if (!recycled_.empty()) {
      memory = std::move(recycled_.back());
      recycled_.pop_back();
    }
    memory.reserve(bytes);
    const std::size_t some = in_several ? most - sizeof head : bytes;
    from.get(memory.append(some), some);
    if (in_several) {
      unfinished_[source] = {std::move(memory), bytes - some};
    } else {
      all.emplace(detail::link::arrival{source, std::move(memory), {}});
      ++received_[source];
    }
  } else {
    receive_behind(from, head, source);
  }
  ++begun_[source];
  fronts_.taken();
  if (!head.is_all() && head.has_extents()) receive_beside(receivings_.back());
  return all;
}

/// Continues the message begun last.
std::optional<detail::link::arrival> traffic::go_on(front& from, std::size_t source) {
  unfinished& last = unfinished_[source];
  const std::size_t some = std::min(last.missing, front::most_at_once(neighbours_.we_read(source)));
  const bool in_turn = begun_[source] == received_[source] + 1;
  const bool waits = last.missing == some && !in_turn;
  if (waits) receivings_.emplace_back().content.from = source;
  from.get(last.bytes.append(some), some);
  last.missing -= some;
  fronts_.taken();
  if (waits) receivings_.back().content.bytes = std::move(last.bytes);
  if (last.missing != 0 || waits) return std::nullopt;
  ++received_[source];
  return detail::link::arrival{source, std::move(last.bytes), {}};
}

void traffic::receive_behind(front& from, const front::head& head, std::size_t source) {
  std::list<receiving> made(1);
  receiving& one = made.front();
  one.content.from = source;
  one.tag = front::tag_behind(begun_[source]);
  one.extents.resize(static_cast<std::size_t>(head.beside));
  one.content.beside.reserve(one.extents.size());
  const auto bytes = static_cast<std::size_t>(head.bytes);
  std::byte* const memory = one.content.bytes.append(bytes);
  const std::size_t of_extents = one.extents.size() * sizeof(extent);
  if (head.has_extents()) from.get(one.extents.data(), of_extents);
  pieces extents, rest;
  if (head.has_bytes())
    from.get(memory, bytes);
  else
    rest.add(memory, bytes);
  if (!head.has_extents())
    extents.add(reinterpret_cast<std::byte*>(one.extents.data()), of_extents);
  one.requests.reserve(2 + one.extents.size());
  for (pieces* const behind : {&extents, &rest}) {
    if (behind->empty()) continue;
    behind->complete();
    behind->receive(static_cast<int>(source), one.tag, comm_,
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
    detail::byte_buffer made = detail::byte_buffer::of(memory, bytes);
    if (next.loan != 0) {
      one.broken |= !neighbours_.read(one.content.from, next.content, next.loan, memory);
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

std::optional<detail::link::arrival> traffic::poll() {
  if (!sendings_.empty()) free_what_is_sent();
  if (std::optional<detail::link::arrival> all = take_front()) return all;
  for (auto one = receivings_.begin(); one != receivings_.end(); ++one) {
    if (!has_come(*one) || !is_in_turn(*one)) continue;
    ++received_[one->content.from];
    const bool broken = one->broken;
    detail::link::arrival all = std::move(one->content);
    receivings_.erase(one);
    if (broken) return poll();
    return all;
  }
  return std::nullopt;
}

}  // namespace pleat::mpi
