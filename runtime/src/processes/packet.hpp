// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/byte_stream.hpp"

namespace pleat::detail {

/// Kind of a packet from one process to another.
enum class packet_kind : std::uint16_t {
  hello,     ///< a machine is made: the sender's share of it
  welcome,   ///< process 0 answers with the shares of all
  step,      ///< (exchange) the process has come to a barrier; `section`s of mail follow
  left,      ///< (exchange) the process will come to this barrier no more
  mail,      ///< (exchange) at a sparse barrier: `section`s of mail alone
  taken,     ///< (exchange) a mail or leftover has come
  round,     ///< (exchange) a round of a sparse barrier: a `round_values`
  ring,      ///< (rings) messages, credits for those taken
  leftover,  ///< (exchange) what virtual processors that have ended sent: last arrivals, a section
  quiet,     ///< (agreement) no worker of the process can go on by itself
  probe,     ///< process 0 asks whether that is still so, and what has been sent and received
  answer,
  ask_waits,  ///< process 0 asks where all VPs wait
  waits,
  settle,  ///< process 0 asks for credits for all that was taken: something was not
  counts,  ///< (costs) what a part of a cluster across processes has sent in a superstep
  parted,  ///< the process has destroyed its link: it makes no machine any more
  gone,    ///< the process has destroyed its machine: it takes part in no run from this one on
  done,    ///< all virtual processors of the process have ended
  failed,  ///< the run has failed in the process
  over,    ///< process 0 ends the run for all
};

/// Header of every packet.
struct packet_head {
  std::uint64_t run = 0;  // which run of the machine, from 1
  std::uint32_t v = 0;    // of the run
  packet_kind kind{};
  std::uint16_t label = 0;  // exchange: of the cluster
  std::uint64_t first = 0;  // exchange: of the cluster's VPs
  std::uint64_t epoch = 0;  // exchange: of the barrier, from 1; agreement: of the probe
};
static_assert(sizeof(packet_head) == 32);

}  // namespace pleat::detail
