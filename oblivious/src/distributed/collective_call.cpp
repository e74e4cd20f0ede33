// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/runtime/error.hpp>

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

}  // namespace

collective_call::collective_call(machine& on, const char* name, std::size_t elements,
                                 std::size_t element_bytes, std::size_t other_bytes,
                                 std::size_t parts)
    : on_(on) {
  std::memcpy(words_.name, name, std::min(std::strlen(name), sizeof words_.name - 1));
  words_.elements = elements;
  words_.element_bytes = element_bytes;
  words_.other_bytes = other_bytes;
  words_.parts = parts;
  const rank_range here = on.vps_here(on.threads());
  words_.rank = on.rank();
  words_.first_vp = here.first;
  words_.vps = here.size();
}

task<rank_places> collective_call::meet(vp& me) const {
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
  co_return places;
}

void collective_call::only_meet() {
  if (on_.ranks() != 1)
    run([](vp&, const rank_places&) -> task<> { co_return; });
  else if (failure_)
    std::rethrow_exception(failure_);
}

void collective_call::meet_again(const rank_places& places) {
  run_on(places, [](vp& me, const rank_places&) -> task<> { co_await me.sync(0); });
}

}  // namespace pleat::detail::distribution
