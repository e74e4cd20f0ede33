// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/byte_stream.hpp"

namespace pleat::detail {

/// Kind of a packet from one process to another.
enum class packet_kind : std::uint16_t {
  hello,     ///< a machine is made: the share of the sender
  welcome,   ///< process 0 answers with the shares of all
  trial,     ///< a message whose time is measured, and its answer
  cost,      ///< process 0 says what has been measured: a process_message_cost
  step,      ///< (exchange) the process has come to a barrier; `section`s of mail follow
  left,      ///< (exchange) the process will not come to this barrier again
  round,     ///< (exchange) a message of a barrier in rounds: mail that is forwarded
  mail,      ///< (exchange) mail at a barrier in rounds that is not forwarded: `section`s
  taken,     ///< (exchange) a leftover has arrived
  ring,      ///< (rings) messages, credits for those taken
  leftover,  ///< (exchange) messages of VPs that have ended: last arrivals, a section
  quiet,     ///< (agreement) no worker of the process can continue by itself
  probe,     ///< process 0 asks whether that still holds, and for numbers sent and received
  answer,
  ask_waits,  ///< process 0 asks where all VPs wait
  waits,
  settle,  ///< process 0 asks for credits for all messages taken, as some were not
  counts,  ///< (costs) messages of a part of a cluster across processes in a superstep
  parted,  ///< the process has destroyed its link: it makes no further machine
  gone,    ///< the process has destroyed its machine: it has no part in this and later runs
  done,    ///< all virtual processors of the process have ended
  failed,  ///< the run has failed in the process
  over,    ///< process 0 ends the run for all
};

/// Header of every packet.
struct packet_head {
  std::uint64_t run = 0;  // number of the run of the machine, from 1
  std::uint32_t v = 0;    // of the run
  packet_kind kind{};
  std::uint16_t label = 0;  // exchange: label of the cluster
  std::uint64_t first = 0;  // exchange: first of the cluster's VPs
  std::uint64_t epoch = 0;  // exchange: of the barrier, from 1; agreement: of the probe
};
static_assert(sizeof(packet_head) == 32);

}  // namespace pleat::detail
