// SPDX-License-Identifier: Apache-2.0
//
// Making of a machine by all of its processes: in the end either all or none of them have it.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/error.hpp>

#include "engine/run_state.hpp"
#include "processes/link.hpp"
#include "processes/process_group.hpp"
#include "processes/wire.hpp"

namespace pleat::detail {
namespace {

// Packets that processes exchange while they make a machine, before there is a run.

/// Waits for a packet of the making of a machine; packets of runs are kept for these. Notices of
/// departure concern the previous machine and are dropped. Returns nullopt if another process has
/// parted.
std::optional<link::arrival> wait_for_packet(link& by, std::list<link::arrival>& early) {
  for (;;) {
    std::optional<link::arrival> arrived = by.poll();
    if (!arrived) {
      ::sched_yield();
      continue;
    }
    const auto head = load_payload<packet_head>(arrived->bytes.begin());
    if (head.kind == packet_kind::parted) {
      by.add_parting({arrived->from, head.epoch != 0});
      return std::nullopt;
    }
    if (head.run == 0) return arrived;
    if (head.kind != packet_kind::gone) early.push_back(*std::move(arrived));
  }
}

std::exception_ptr makes_none(const link::parting& one) {
  return std::make_exception_ptr(usage_error(
      "rank " + std::to_string(one.process) + " has destroyed what pleat::mpi::over has returned" +
      (one.unwinding ? ", because of an exception," : "") +
      " and makes no machine of it: all ranks of a machine make it"));
}

/// Waits for a packet of `from`, or of any process that has not parted. If `from` has, throws
/// `failed`, or else usage_error.
link::arrival receive_greeting(link& by, std::size_t from, std::list<link::arrival>& early,
                               const std::exception_ptr& failed = nullptr) {
  for (;;) {
    const auto parted = std::ranges::find(by.partings(), from, &link::parting::process);
    if (parted != by.partings().end())
      std::rethrow_exception(failed ? failed : makes_none(*parted));
    if (std::optional<link::arrival> arrived = wait_for_packet(by, early))
      return *std::move(arrived);
  }
}

constexpr std::size_t large = 64 * 1024;

/// Shortest time of a message of so many bytes beyond its head: half of the way to and fro.
double shortest(link& by, std::size_t to, std::size_t bytes, int times,
                std::list<link::arrival>& early) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    byte_buffer sent = packet_of({.kind = packet_kind::trial});
    if (bytes != 0) std::memset(sent.append(bytes), 0, bytes);
    const auto begun = std::chrono::steady_clock::now();
    by.post(to, sent);
    by.recycle(receive_greeting(by, to, early));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    least = std::min(least, taken.count() / 2);
  }
  return least;
}

process_message_cost measured(link& by, std::size_t last, std::list<link::arrival>& early) {
  const double start = shortest(by, last, 0, 8, early);
  const double more = shortest(by, last, large, 3, early) - start;
  return {start, std::max(more, 0.0) / large, last == 1 ? start : shortest(by, 1, 0, 8, early)};
}

/// Measures what messages cost between the first and the last process, which are on different nodes
/// if there are several, and the first and the second, which are mostly on one. All processes call
/// it while they make a machine, and get the same result.
///
/// Cost: nineteen messages to and fro, of two processes eleven, some of 64 KiB, and one more to
/// each process. Throws: usage_error if one of the processes that are waited for has parted;
/// std::bad_alloc.
process_message_cost try_messages(link& by, std::list<link::arrival>& early) {
  const std::size_t last = by.size() - 1;
  if (by.self() == 0) {
    const process_message_cost cost =
        last == 0 ? process_message_cost{} : measured(by, last, early);
    byte_buffer result = packet_of({.kind = packet_kind::cost});
    byte_writer(result).put(cost);
    for (std::size_t process = 1; process <= last; ++process) post_copy(by, process, result);
    return cost;
  }
  for (;;) {
    link::arrival arrived = receive_greeting(by, 0, early);
    if (load_payload<packet_head>(arrived.bytes.begin()).kind == packet_kind::cost)
      return content_of(arrived.bytes).take<process_message_cost>();
    by.post(0, arrived.bytes);
  }
}

constexpr std::string_view version = PLEAT_VERSION;

std::string other_version(std::size_t process, const std::string& its) {
  return "the ranks of a machine must have the same version of Pleat: rank 0 has " +
         std::string(version) + ", rank " + std::to_string(process) + " " + its;
}

std::string other_strictness(std::size_t process, bool strict_at_0) {
  return "the ranks of a machine must agree on strict mode: rank " +
         std::to_string(strict_at_0 ? 0 : process) + " is strict, rank " +
         std::to_string(strict_at_0 ? process : 0) + " is not; set machine_options::strict alike";
}

/// Names the first difference between the machine of `process` and that of process 0; empty if
/// none.
std::string difference(std::size_t process, const process_share& its, const process_share& of_0) {
  if (its.strict != of_0.strict) return other_strictness(process, of_0.strict);
  const auto must_agree = [&](const char* what, const char* option) {
    return "the ranks of a machine must agree on " + std::string(what) + ": rank 0 and rank " +
           std::to_string(process) + " do not; set machine_options::" + option + " alike";
  };
  if (std::tie(its.traces, its.dummies, its.between) !=
      std::tie(of_0.traces, of_0.dummies, of_0.between))
    return must_agree("what they count", "trace");
  return "";
}

/// Exchanges the shares of all processes through process 0, which sends all of them to all, or the
/// first reason that it receives why there is no machine: `failed`, or the error of another
/// process. Throws that.
std::vector<process_share> introduce(link& by, const process_share& mine,
                                     const std::exception_ptr& failed,
                                     std::list<link::arrival>& early) {
  std::vector<process_share> all(by.size());
  if (by.self() != 0) {
    byte_buffer hello = packet_of({.kind = packet_kind::hello});
    byte_writer to(hello);
    to.put_bytes(version.data(), version.size());
    to.put(mine);
    to.put(std::uint64_t{failed != nullptr});
    if (failed) write_failure(failed, to);
    post_copy(by, 0, hello);
    const link::arrival welcome = receive_greeting(by, 0, early, failed);
    byte_reader from = content_of(welcome.bytes);
    const auto culprit = from.take<std::uint64_t>();
    if (culprit == by.self() && failed) std::rethrow_exception(failed);
    if (culprit != by.size()) std::rethrow_exception(read_failure(from));
    for (process_share& one : all) one = from.take<process_share>();
    return all;
  }

  std::size_t culprit = failed ? 0 : by.size();
  std::exception_ptr why = failed;
  const auto note_failure = [&](std::size_t process, const std::exception_ptr& cause) {
    if (why) return;
    culprit = process;
    why = cause;
  };
  all[0] = mine;
  // All processes that have not parted send their shares, even if there will be no machine.
  std::vector<bool> answered(by.size());
  answered[0] = true;
  const auto another = [&] {
    for (const link::parting& one : by.partings()) {
      answered[one.process] = true;
      note_failure(one.process, makes_none(one));
    }
    return std::ranges::find(answered, false) != answered.end();
  };
  while (another()) {
    const std::optional<link::arrival> arrived = wait_for_packet(by, early);
    if (!arrived) continue;
    const link::arrival& hello = *arrived;
    answered[hello.from] = true;
    byte_reader from = content_of(hello.bytes);
    std::size_t length = 0;
    const auto* const first = reinterpret_cast<const char*>(from.take_bytes(length));
    const std::string its(first, length);
    if (its != version) {
      note_failure(0, std::make_exception_ptr(usage_error(other_version(hello.from, its))));
      continue;
    }
    all[hello.from] = from.take<process_share>();
    if (from.take<std::uint64_t>() != 0) {
      note_failure(hello.from, read_failure(from));
    } else if (const std::string words = difference(hello.from, all[hello.from], mine);
               !words.empty()) {
      note_failure(0, std::make_exception_ptr(usage_error(words)));
    }
  }
  byte_buffer welcome = packet_of({.kind = packet_kind::welcome});
  byte_writer to(welcome);
  to.put(std::uint64_t{culprit});
  if (why)
    write_failure(why, to);
  else
    for (const process_share& one : all) to.put(one);
  for (std::size_t process = 1; process < by.size(); ++process) post_copy(by, process, welcome);
  if (why) std::rethrow_exception(why);
  return all;
}

}  // namespace

link::hold::hold(link& of) : of_(of) {
  if (of.held_)
    throw usage_error(
        "two machines over ranks at once on what one pleat::mpi::over has returned: call it for "
        "each of them, or destroy the first one before");
  of.held_ = true;
}

process_group::process_group(run_state& run, std::shared_ptr<link> to, const process_share& mine)
    : run_(run), link_(std::move(to)), hold_(*link_) {
  link_->enter();
  const std::vector<process_share> all = introduce(*link_, mine, nullptr, early_);
  std::vector<std::size_t> workers;
  for (const process_share& one : all) {
    workers.push_back(one.workers);
    processors_ += one.processors;
  }
  layout_.emplace(link_->self(), workers);
  exchange_.emplace(run_, *link_, *layout_);
  rings_.emplace(run_, *link_, *layout_);
  if (!link_->cost()) link_->set_cost(try_messages(*link_, early_));
  message_cost_ = *link_->cost();
}

std::unique_ptr<other_processes> take_part(run_state& run, std::shared_ptr<link> to,
                                           const process_share& mine) {
  return std::make_unique<process_group>(run, std::move(to), mine);
}

void stay_away(link& from, const std::exception_ptr& why) {
  const link::hold mine(from);
  from.enter();
  std::list<link::arrival> none;
  static_cast<void>(introduce(from, {}, why, none));
}

}  // namespace pleat::detail
