// SPDX-License-Identifier: Apache-2.0
// Barriers of ranks few of which have mail for each other.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <pleat/runtime/detail/rank_exchange.hpp>
#include <pleat/runtime/detail/run_state.hpp>

namespace pleat::detail {

/// For how many ranks there is mail.
std::uint64_t rank_exchange::width(const crossing& c, const rank_layout& layout) {
  std::vector<std::size_t> ranks;
  for (const auto& of_member : c.out) {
    for (const far_mail& mail : of_member) ranks.push_back(layout.rank_of(mail.worker));
  }
  std::sort(ranks.begin(), ranks.end());
  return static_cast<std::uint64_t>(std::unique(ranks.begin(), ranks.end()) - ranks.begin());
}

/// All ranks know the same of the barrier just passed, and choose alike.
void rank_exchange::choose_next(crossing& c) {
  crossing::sparse_barrier& s = c.sparse;
  s.stays |= s.news.leaving != 0;
  for (const crossing::other& rank : c.others) s.stays |= rank.left_at <= c.entered;
  const std::uint64_t ranks = c.others.size();
  s.next = !s.stays && 2 * s.news.widest + s.heard.size() < ranks - 1;
  s.begun = false;
  s.round = 0;
}

void rank_exchange::take_sparse(std::size_t from, const packet_head& front,
                                std::shared_ptr<link::arrival> packet) {
  shared_cluster& m = find(front);
  crossing& c = *m.beyond;
  if (front.kind == packet_kind::taken) {
    --c.sparse.on_their_way;
  } else if (front.kind == packet_kind::mail) {
    c.others[from - c.first_rank].sent.push_back(std::move(packet));
    std::vector<byte_buffer> parts(1);
    byte_writer(parts[0]).put(head(packet_kind::taken, &m, front.epoch));
    post(from, std::move(parts));
  } else {
    byte_reader reader(packet->bytes);
    reader.skip(sizeof front);
    const auto round = reader.take<std::uint64_t>();
    c.sparse.heard[static_cast<std::size_t>(round)].push_back(reader.take<crossing::round_news>());
  }
}

/// Mail goes to those for whom there is some. `leaving`: all virtual processors here have ended,
/// and there is none.
void rank_exchange::enter_sparse(shared_cluster& m, bool leaving) {
  send_leftovers();
  crossing& c = *m.beyond;
  c.sparse.news = {width(c, layout_), leaving ? 1u : 0u};
  ++c.entered;
  std::vector<std::vector<byte_buffer>> parts(c.others.size());
  std::vector<std::vector<link::enclosure>> beside(c.others.size());
  for (auto& of_member : c.out) {
    for (far_mail& mail : of_member) {
      const std::size_t rank = layout_.rank_of(mail.worker) - c.first_rank;
      auto& to = parts[rank];
      if (to.empty()) byte_writer(to.emplace_back()).put(head(packet_kind::mail, &m, c.entered));
      to.push_back(std::move(mail.packed));
      std::ranges::move(mail.beside, std::back_inserter(beside[rank]));
    }
    of_member.clear();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    ++c.sparse.on_their_way;
    post(c.first_rank + i, std::move(parts[i]), std::move(beside[i]));
  }
}

void rank_exchange::send_round(shared_cluster& m) {
  crossing& c = *m.beyond;
  const std::size_t ranks = c.others.size();
  const std::size_t to = (c.here - c.first_rank + (std::size_t{1} << c.sparse.round)) % ranks;
  std::vector<byte_buffer> parts(1);
  byte_writer writer(parts[0]);
  writer.put(head(packet_kind::round, &m, c.entered));
  writer.put(std::uint64_t{c.sparse.round});
  writer.put(c.sparse.news);
  post(c.first_rank + to, std::move(parts));
}

bool rank_exchange::sparse_passed(shared_cluster& m) {
  crossing::sparse_barrier& s = m.beyond->sparse;
  if (!s.begun) {
    if (s.on_their_way != 0 || leftovers_on_their_way_ != 0) return false;
    s.begun = true;
    send_round(m);
  }
  while (!s.heard[s.round].empty()) {
    s.news.add(s.heard[s.round].front());
    s.heard[s.round].pop_front();
    if (++s.round == s.heard.size()) return true;
    send_round(m);
  }
  return false;
}

}  // namespace pleat::detail
