// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <list>
#include <optional>
#include <sched.h>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "processes/link.hpp"
#include "processes/packet.hpp"
#include "processes/wire.hpp"

/// Packets that processes exchange while they make a machine, before there is a run.
namespace pleat::detail {

inline byte_buffer greeting(packet_kind kind) {
  packet_head head;
  head.kind = kind;
  byte_buffer packet;
  byte_writer(packet).put(head);
  return packet;
}

inline void greet(link& by, std::size_t to, const byte_buffer& packet) {
  byte_buffer copy;
  std::memcpy(copy.append(packet.size()), packet.begin(), packet.size());
  by.post(to, copy);
}

inline byte_reader content_of(const byte_buffer& packet) {
  byte_reader from(packet);
  from.skip(sizeof(packet_head));
  return from;
}

/// Waits for a packet of the making of a machine; packets of runs are kept for these. Notices of
/// departure concern the previous machine and are dropped. Returns nullopt if another process has
/// parted.
inline std::optional<link::arrival> wait_for_packet(link& by, std::list<link::arrival>& early) {
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

inline std::exception_ptr makes_none(const link::parting& one) {
  return std::make_exception_ptr(usage_error(
      "rank " + std::to_string(one.process) + " has destroyed what pleat::mpi::over has returned" +
      (one.unwinding ? ", because of an exception," : "") +
      " and makes no machine of it: all ranks of a machine make it"));
}

/// Finds the parting of a process, or null.
inline const link::parting* parting_of(const link& by, std::size_t process) {
  const auto at = std::ranges::find(by.partings(), process, &link::parting::process);
  return at == by.partings().end() ? nullptr : &*at;
}

/// Waits for a packet of `from`, or of any process that has not parted. Throws: usage_error if it
/// has.
inline link::arrival receive_greeting(link& by, std::size_t from, std::list<link::arrival>& early) {
  for (;;) {
    if (const link::parting* const parted = parting_of(by, from))
      std::rethrow_exception(makes_none(*parted));
    if (std::optional<link::arrival> arrived = wait_for_packet(by, early))
      return *std::move(arrived);
  }
}

}  // namespace pleat::detail
