// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/byte_stream.hpp"

namespace pleat::detail {

/// What a message between two ranks is.
enum class packet_kind : std::uint16_t {
  hello,     ///< a machine is made: what this rank's part is like
  welcome,   ///< rank 0 answers with everybody's
  step,      ///< (exchange) the rank has come to a barrier; `section`s of mail follow
  left,      ///< (exchange) the rank will come to this barrier no more
  mail,      ///< (exchange) at a sparse barrier: `section`s of mail alone
  taken,     ///< (exchange) a mail or leftover has come
  round,     ///< (exchange) a round of a sparse barrier: a `round_news`
  ring,      ///< (rings) messages, credits for those taken
  leftover,  ///< (exchange) what virtual processors that have ended sent: last arrivals, a section
  quiet,     ///< (agreement) nobody on the rank can go on by itself
  probe,     ///< rank 0 asks whether that is still so, and what has been sent and received
  answer,
  tell,  ///< rank 0 asks where everybody waits
  told,
  settle,  ///< rank 0 asks for credits for all that was taken: something was not
  counts,  ///< (costs) what a part of a cluster across ranks has sent in a superstep
  parted,  ///< the rank has destroyed its link: it makes no machine any more
  gone,    ///< the rank has destroyed its machine: it takes part in no run from this one on
  done,    ///< all virtual processors of the rank have ended
  failed,  ///< the run has failed on the rank
  over,    ///< rank 0 ends the run for all
};

/// The front of every message between two ranks.
struct packet_head {
  std::uint64_t run = 0;  // which run of the machine, from 1
  std::uint32_t v = 0;    // of the run
  packet_kind kind{};
  std::uint16_t label = 0;  // exchange: of the cluster
  std::uint64_t first = 0;  // exchange: of the cluster's ranks
  std::uint64_t epoch = 0;  // exchange: of the barrier, from 1; agreement: of the probe
};
static_assert(sizeof(packet_head) == 32);

}  // namespace pleat::detail
