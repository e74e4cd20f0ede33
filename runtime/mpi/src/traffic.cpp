// SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>

#include "pieces.hpp"

namespace pleat::mpi {

namespace {

std::size_t size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

constexpr std::size_t most_spare = 16;

std::size_t bytes_of(const std::vector<detail::byte_buffer>& parts) {
  std::size_t bytes = 0;
  for (const detail::byte_buffer& part : parts) bytes += part.size();
  return bytes;
}

}  // namespace

traffic::traffic(MPI_Comm own)
    : comm_(own),
      fronts_(own),
      begun_(size_of(own)),
      received_(begun_.size()),
      ours_(begun_.size()),
      theirs_(begun_.size()) {
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
}

traffic::~traffic() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  fronts_.cancel();
  MPI_Comm_free(&comm_);
}

void traffic::post(std::size_t to, std::vector<detail::byte_buffer> parts,
                   std::vector<detail::link::enclosure> beside) {
  if (spare_.empty()) spare_.emplace_back();
  sending& one = spare_.front();
  const front::head head{bytes_of(parts), beside.size()};
  one.extents.clear();
  for (const detail::link::enclosure& each : beside)
    one.extents.push_back({each.memory.size(), each.alignment});
  one.first.clear();
  one.first.put(&head, sizeof head);
  if (head.has_extents() && !beside.empty())
    one.first.put(one.extents.data(), one.extents.size() * sizeof(extent));
  pieces first, rest;
  const bool copied = one.first.position() + head.bytes <= front::eager;
  if (!copied) first.add(one.first.memory(), one.first.position());
  std::vector<pieces> behind;
  if (!head.has_extents()) {
    behind.emplace_back().add(reinterpret_cast<std::byte*>(one.extents.data()),
                              one.extents.size() * sizeof(extent));
  }
  for (const detail::byte_buffer& part : parts) {
    if (copied)
      one.first.put(part.begin(), part.size());
    else
      (head.has_bytes() ? first : rest).add(part.begin(), part.size());
  }
  if (copied) first.add(one.first.memory(), one.first.position());
  if (!rest.empty()) behind.push_back(std::move(rest));
  for (const detail::link::enclosure& each : beside)
    behind.emplace_back().add(each.memory.begin(), each.memory.size());
  first.complete();
  for (pieces& each : behind) each.complete();
  one.requests.resize(1 + behind.size());

  // From here on nothing throws.
  const int destination = static_cast<int>(to);
  first.send(destination, front::tag, comm_, one.requests.data());
  const int tag = front::tag_behind(ours_[to].sent);
  for (std::size_t i = 0; i < behind.size(); ++i)
    behind[i].send(destination, tag, comm_, &one.requests[1 + i]);
  if (!copied) one.parts = std::move(parts);
  one.beside = std::move(beside);
  ++ours_[to].sent;
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

/// Looks whether a front has come. Returns the message if that is all of it and its turn.
std::optional<detail::link::arrival> traffic::take_front() {
  front* const from = fronts_.poll();
  if (from == nullptr) return std::nullopt;
  const std::size_t source = fronts_.source();
  front::head head{};
  from->get(&head, sizeof head);
  const bool in_turn = begun_[source] == received_[source];
  std::optional<detail::link::arrival> all;
  if (head.is_all() && in_turn) {
    all.emplace(detail::link::arrival{source, {}, {}});
    from->get(all->bytes.append(static_cast<std::size_t>(head.bytes)),
              static_cast<std::size_t>(head.bytes));
    ++received_[source];
  } else {
    receive_behind(*from, head, source);
  }
  ++begun_[source];
  fronts_.taken();
  if (!all && head.has_extents()) receive_beside(receivings_.back());
  return all;
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

/// As much as there is memory for; the rest when this is called again.
void traffic::receive_beside(receiving& one) {
  while (one.content.beside.size() < one.extents.size()) {
    const extent& next = one.extents[one.content.beside.size()];
    const auto bytes = static_cast<std::size_t>(next.bytes);
    auto* const memory = static_cast<std::byte*>(
        detail::take_memory(bytes, static_cast<std::size_t>(next.alignment)));
    detail::byte_buffer made = detail::byte_buffer::of(memory, bytes);
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

/// Those from one rank in the order in which they came, though a later one may be there first.
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
    detail::link::arrival all = std::move(one->content);
    receivings_.erase(one);
    return all;
  }
  return std::nullopt;
}

}  // namespace pleat::mpi
