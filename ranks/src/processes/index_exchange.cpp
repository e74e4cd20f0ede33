// SPDX-License-Identifier: Apache-2.0
// Barriers in rounds: processes forward each other's short mail by the index algorithm, and send
// long mail straight to its process.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "engine/run_state.hpp"
#include "processes/index_rounds.hpp"
#include "processes/process_exchange.hpp"
#include "processes/wire.hpp"

namespace pleat::detail {

namespace {

/// Header of mail in a message of a round. The sections follow, unless the mail is sent straight.
struct forwarded_head {
  std::uint32_t number;
  std::uint32_t bytes;  // as in crossing::forwarded
};

template <class T> T as_much_as_fits(std::size_t value) {
  return static_cast<T>(std::min<std::size_t>(value, std::numeric_limits<T>::max()));
}

/// Tells whether forwarding mail costs less than another message to its process.
bool worth_forwarding(std::size_t bytes, std::size_t hops, const process_message_cost& cost) {
  return bytes < travels_beside &&
         static_cast<double>((hops - 1) * bytes) * cost.per_byte <= cost.start;
}

}  // namespace

/// Lists the mail by its process, in the order of its senders, and determines its size.
void process_exchange::sort_mail(crossing& c) {
  outgoing_.clear();
  std::size_t bytes = 0;
  for (std::size_t member = 0; member < c.out.size(); ++member) {
    for (remote_mail& mail : c.out[member].all()) {
      outgoing_.push_back({layout_.process_of(mail.worker), member, &mail});
      bytes += mail.packed.size();
      for (const link::enclosure& one : mail.beside) bytes += one.bytes();
    }
  }
  std::ranges::sort(outgoing_, {},
                    [](const outgoing& one) { return std::pair(one.process, one.member); });
  std::size_t wide = 0;
  for (std::size_t i = 0; i < outgoing_.size(); ++i)
    wide += i == 0 || outgoing_[i - 1].process != outgoing_[i].process ? 1 : 0;
  c.values = {as_much_as_fits<std::uint32_t>(bytes), as_much_as_fits<std::uint16_t>(wide)};
}

/// Chooses the kind of the next barrier. All processes have the same data of the barrier just
/// passed, and make the same choice.
void process_exchange::choose_next(crossing& c) {
  crossing::round_barrier& next = c.rounds;
  next.stays_dense |= c.values.leaves != 0;
  for (const crossing::other& process : c.others) next.stays_dense |= process.left_at <= c.entered;
  const std::vector<std::size_t>& fixed = link_.radices();
  next.place = 0;
  if (next.stays_dense)
    next.radix = 0;
  else if (!fixed.empty())
    next.radix = fixed[(c.entered + 1) % fixed.size()];
  else
    next.radix = cheapest_radix(c.others.size(), c.values.widest,
                                static_cast<double>(c.values.bytes), *link_.cost());
}

/// Sends long mail to its processes, and notes what is forwarded. `leaving`: all virtual processors
/// here have ended, and there is no mail.
void process_exchange::enter_rounds(shared_cluster& m, bool leaving) {
  send_leftovers();
  crossing& c = crossing_of(m);
  recycle(c);
  sort_mail(c);
  (leaving ? c.values.leaves : c.values.stays) = 1;
  ++c.entered;
  const index_rounds rounds{c.others.size(), c.rounds.radix};
  c.rounds.mail.assign(rounds.processes, {});
  c.rounds.own.clear();
  std::size_t forwarded_bytes = 0;
  for (const outgoing& one : outgoing_) forwarded_bytes += one.mail->packed.size();
  c.rounds.own.reserve(forwarded_bytes);
  for (auto first = outgoing_.begin(); first != outgoing_.end();) {
    std::size_t bytes = 0;
    bool short_mail = true;
    auto last = first;
    for (; last != outgoing_.end() && last->process == first->process; ++last) {
      bytes += last->mail->packed.size();
      short_mail &= last->mail->beside.empty();
    }
    const std::size_t number = c.distance(c.here, first->process);
    crossing::forwarded& entry = c.rounds.mail[number];
    if (short_mail && worth_forwarding(bytes, rounds.hops(number), *link_.cost())) {
      entry = {c.rounds.own.end(), static_cast<std::uint32_t>(bytes)};
      for (; first != last; ++first) {
        const byte_buffer& packed = first->mail->packed;
        std::memcpy(c.rounds.own.append(packed.size()), packed.begin(), packed.size());
      }
    } else {
      entry.bytes = crossing::forwarded::sent_straight;
      const std::size_t process = first->process;
      start(head(packet_kind::mail, &m, c.entered));
      for (; first != last; ++first) add(*first->mail);
      post(process);
    }
  }
  for (remote_mails& of_member : c.out) of_member.clear();
}

/// Sends the messages of the round of a place.
void process_exchange::send_round(shared_cluster& m) {
  crossing& c = crossing_of(m);
  const index_rounds rounds{c.others.size(), c.rounds.radix};
  for (std::size_t digit = 1; digit <= rounds.digits(c.rounds.place); ++digit) {
    start(head(packet_kind::round, &m, c.entered));
    byte_writer to(front_);
    to.put(c.values);
    rounds.for_mail(c.rounds.place, digit, [&](std::size_t number) {
      const crossing::forwarded mail = std::exchange(c.rounds.mail[number], {});
      if (mail.bytes == 0) return;
      to.put(forwarded_head{static_cast<std::uint32_t>(number), mail.bytes});
      if (mail.sections != nullptr)
        std::memcpy(front_.append(mail.bytes), mail.sections, mail.bytes);
    });
    const std::size_t distance = digit * c.rounds.place;
    post(c.first_process + (c.here - c.first_process + distance) % rounds.processes);
  }
}

/// Notes the mail that a message of a round has brought, to be forwarded in a later round, or
/// delivered if its number has no further digit.
void process_exchange::take_round(crossing& c, link::arrival&& packet) {
  c.holders.push_back(std::move(packet));
  byte_reader from = content_of(c.holders.back().bytes);
  c.values.add(from.take<crossing::round_values>());
  while (!from.at_end()) {
    const auto mail = from.take<forwarded_head>();
    const bool straight = mail.bytes == crossing::forwarded::sent_straight;
    c.rounds.mail[mail.number] = {straight ? nullptr : from.skip(mail.bytes), mail.bytes};
  }
}

bool process_exchange::rounds_passed(shared_cluster& m) {
  crossing& c = crossing_of(m);
  const index_rounds rounds{c.others.size(), c.rounds.radix};
  std::size_t& place = c.rounds.place;
  if (place == 0) {
    if (leftovers_on_their_way_ != 0) return false;  // no later message tells that they have come
    place = 1;
    send_round(m);
  }
  // Finds the process from which this one receives mail of a number.
  const auto sender = [&](std::size_t number) -> crossing::other& {
    return c.others[(c.here - c.first_process + rounds.processes - number) % rounds.processes];
  };
  while (place < rounds.processes) {
    const std::size_t digits = rounds.digits(place);
    for (std::size_t digit = 1; digit <= digits; ++digit) {
      if (sender(digit * place).rounds.empty()) return false;
    }
    for (std::size_t digit = 1; digit <= digits; ++digit) {
      std::vector<link::arrival>& received = sender(digit * place).rounds;
      take_round(c, std::move(received.front()));
      received.erase(received.begin());
    }
    place *= rounds.radix;
    if (place < rounds.processes) send_round(m);
  }
  for (std::size_t number = 1; number < rounds.processes; ++number) {
    if (c.rounds.mail[number].bytes == crossing::forwarded::sent_straight &&
        sender(number).sent.empty())
      return false;
  }
  return true;
}

}  // namespace pleat::detail
