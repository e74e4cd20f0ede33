// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>

namespace pleat::detail::distribution {

namespace {

bool same_call(const call_words& a, const call_words& b) noexcept {
  return std::memcmp(a.name, b.name, sizeof a.name) == 0 && a.elements == b.elements &&
         a.element_bytes == b.element_bytes && a.other_bytes == b.other_bytes && a.parts == b.parts;
}

std::string words_of(const call_words& call) {
  std::string words(call.name);
  words += " of " + std::to_string(call.elements) + " elements of " +
           std::to_string(call.element_bytes) + " bytes";
  if (call.other_bytes != 0)
    words += " with others of " + std::to_string(call.other_bytes) + " bytes";
  if (call.parts != 1) words += " in " + std::to_string(call.parts) + " parts";
  return words + " on rank " + std::to_string(call.rank);
}

[[noreturn]] void refuse(const std::string& what) {
  throw usage_error(what + "; all ranks must make the same calls on distributed data");
}

/// The innermost call that this thread makes.
thread_local collective_call* innermost = nullptr;

}  // namespace

collective_call::collective_call(machine& on, const char* name, std::size_t elements,
                                 std::size_t element_bytes, std::size_t other_bytes,
                                 std::size_t parts)
    : on_(on), mine_(on), ranks_(on.ranks()), vps_(on.threads()), outer_(innermost) {
  std::memcpy(words_.name, name, std::min(std::strlen(name), sizeof words_.name - 1));
  words_.elements = elements;
  words_.element_bytes = element_bytes;
  words_.other_bytes = other_bytes;
  words_.parts = parts;
  const rank_range here = on.vps_here(vps_);
  words_.rank = on.rank();
  words_.first_vp = here.first;
  words_.vps = here.size();
  innermost = this;
}

collective_call::~collective_call() {
  if (ranks_ > 1 && !all_know_ && std::uncaught_exceptions() > uncaught_) tell_others();
  innermost = outer_;
}

bool collective_call::alone() const {
  if (ranks_ > 1) return false;
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

task<rank_places> collective_call::meet(vp& me) {
  if (me.rank() == words_.first_vp) {
    if (failure_) std::rethrow_exception(failure_);
    for (std::size_t q = 0; q < me.size(); ++q) me.send(q, words_);
  }
  co_await me.sync(0);
  rank_places places;
  call_words first;
  for (auto m = me.receive(); m; m = me.receive()) {
    if (m->lent() || m->bytes() != sizeof(call_words))
      refuse("VP " + std::to_string(m->source()) + " does something else than " + words_of(words_));
    const auto said = m->get<call_words>();
    if (places.empty()) first = said;
    if (!same_call(first, said)) refuse(words_of(first) + ", " + words_of(said));
    places.push_back({said.first_vp, said.first_vp + said.vps});
  }
  if (me.rank() == words_.first_vp) places_ = places;
  co_return places;
}

const rank_places& collective_call::spread(std::size_t vps) noexcept {
  const fold onto(vps, places_.back().last);  // so far a VP is a worker
  for (rank_range& place : places_)
    place = {onto.ranks(place.first).first, onto.ranks(place.last - 1).last};
  words_.first_vp = places_[words_.rank].first;
  vps_ = vps;
  return places_;
}

void collective_call::only_meet() {
  if (!alone()) run([](vp&, const rank_places&) -> task<> { co_return; });
}

void collective_call::meet_again() {
  run_again([](vp& me, const rank_places&) -> task<> { co_await me.sync(0); });
}

void collective_call::compare(const agreed_words& words, const char* what) {
  run([&](vp& me, const rank_places& places) { return agree(me, places, rank(), words, what); });
}

void collective_call::set_known(bool known) noexcept {
  if (ranks_ == 1) return;
  for (collective_call* call = this; call != nullptr; call = call->outer_)
    if (&call->on_ == &on_ && call->ranks_ > 1) call->all_know_ = known;
}

void collective_call::tell_others() noexcept {
  try {
    together([this](vp&) -> task<> {
      if (failure_) std::rethrow_exception(failure_);
      throw environment_error(std::string(words_.name) + ": rank " + std::to_string(words_.rank) +
                              " could not go on between two runs; its own exception says why, most "
                              "likely want of memory");
    });
  } catch (...) {
    // It is the others that want to hear it; here another exception is on its way.
  }
}

void require_machine(const machine& on, const char* name, const char* part, std::size_t rank,
                     std::size_t ranks, const char* what) {
  if (on.ranks() == ranks && on.rank() == rank) return;
  throw usage_error(std::string(name) + ": " + part + " " + std::to_string(rank) + " of " +
                    std::to_string(ranks) + " on rank " + std::to_string(on.rank()) + " of " +
                    std::to_string(on.ranks()) + "; give it the machine that the distributed " +
                    what + " was made on");
}

task<> agree(vp& me, const rank_places& places, std::size_t rank, const agreed_words& words,
             const char* what) {
  const auto check = [&](const std::vector<agreed_words>& all) {
    const auto other = std::ranges::find_if(all, [&](const auto& said) { return said != words; });
    if (other != all.end())
      refuse(std::string(what) + " differ on ranks " + std::to_string(rank) + " and " +
             std::to_string(other - all.begin()));
  };
  co_await tell_all_ranks(me, places, rank, words, check);
}

rank_rectangles::rank_rectangles(std::size_t rows, std::size_t columns, std::size_t ranks) noexcept
    : rows_(rows), columns_(columns), down_(ranks) {
  const auto sides = [&](std::size_t down) {  // times ranks
    return static_cast<double>(rows) * static_cast<double>(ranks / down) +
           static_cast<double>(columns) * static_cast<double>(down);
  };
  for (std::size_t down = ranks; down > 0; --down) {
    if (ranks % down == 0 && sides(down) < sides(down_)) down_ = down;
  }
  across_ = ranks / down_;
}

std::vector<interval<>> common_cuts(std::size_t n, std::size_t shares, std::size_t other_shares) {
  std::vector<std::size_t> ends;
  for (const std::size_t count : {shares, other_shares})
    for (std::size_t i = 0; i < count; ++i) ends.push_back(interval<>{0, n}.share(i, count).last);
  std::sort(ends.begin(), ends.end());
  std::vector<interval<>> parts;
  std::size_t first = 0;
  for (const std::size_t last : ends) {
    if (last > first) parts.push_back({first, last});
    first = last;
  }
  return parts;
}

std::size_t panel_steps(const std::vector<interval<>>& parts) noexcept {
  std::size_t longest = 0;
  for (const interval<>& part : parts) longest = std::max(longest, part.size());
  return std::max<std::size_t>(1, longest / 1024);
}

}  // namespace pleat::detail::distribution
