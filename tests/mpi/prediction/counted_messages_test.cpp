// SPDX-License-Identifier: Apache-2.0
//
// What bench/predict counts without running a program, beside what MPI is asked to send when it
// runs. Every message of the machine over ranks is an MPI_Isend, which is ours here; ranks read
// nothing of each other, as between nodes.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/mpi/over.hpp>
#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>

#include "arrays/distributed_numbers.hpp"
#include "predict/prediction.hpp"
#include "processes/link.hpp"
#include "processes/wire.hpp"

namespace {

std::atomic<std::uint64_t> sent_messages{0}, sent_bytes{0};

// Ranks that wait long tell the first one, which asks all whether anybody goes on: how often
// depends on time, and is no cost of a program. At the end of a run each rank tells all others that
// it leaves: how much of that is sent when the program's last result is there depends on time, too.
// A message begins with what MPI's side says of it, 16 bytes, and the head of the packet.
constexpr std::size_t before = 16;
bool depends_on_time(const void* buffer, int count, MPI_Datatype type, int tag) {
  constexpr int first_tag = 1;
  pleat::detail::packet_head head;
  if (type != MPI_BYTE || tag != first_tag ||
      static_cast<std::size_t>(count) < before + sizeof head)
    return false;
  std::memcpy(&head, static_cast<const std::byte*>(buffer) + before, sizeof head);
  return head.kind == pleat::detail::packet_kind::left ||
         (head.kind >= pleat::detail::packet_kind::quiet &&
          head.kind < pleat::detail::packet_kind::done);
}

}  // namespace

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (!depends_on_time(buffer, count, type, tag)) {
    int size = 0;
    PMPI_Type_size(type, &size);
    sent_messages += 1;
    sent_bytes += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  }
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

namespace {

using pleat::arrays::number_kind, pleat::bench::ranked_work;

// Counts between start and stop, which all ranks come to.
class counting {
 public:
  explicit counting(MPI_Comm comm) : comm_(comm) {}

  void start() {
    MPI_Barrier(comm_);
    messages_ = sent_messages;
    bytes_ = sent_bytes;
  }
  void stop() {
    const std::array<std::uint64_t, 2> here{sent_messages - messages_, sent_bytes - bytes_};
    std::array<std::uint64_t, 2> first = here, most{};
    MPI_Barrier(comm_);
    MPI_Bcast(first.data(), 2, MPI_UINT64_T, 0, comm_);
    MPI_Allreduce(here.data(), most.data(), 2, MPI_UINT64_T, MPI_MAX, comm_);
    messages_ = first[0];
    bytes_ = most[1];
  }
  [[nodiscard]] double messages_of_first() const { return static_cast<double>(messages_); }
  [[nodiscard]] double most_bytes() const { return static_cast<double>(bytes_); }

 private:
  MPI_Comm comm_;
  std::uint64_t messages_ = 0, bytes_ = 0;
};

void carry_out(const ranked_work& work, pleat::machine& on, counting& count) {
  const auto read = [&](std::span<std::byte> block, std::size_t first) {
    std::mt19937_64 random(1 + first);
    const std::span<std::uint64_t> words(reinterpret_cast<std::uint64_t*>(block.data()),
                                         block.size() / 8);
    for (std::uint64_t& word : words) word = random() >> 12U;  // small, as floating-point numbers
    count.start();
  };
  const auto write = [&](std::span<const std::byte>, std::size_t) { count.stop(); };
  if (work.program == "sort") {
    pleat::arrays::sort_distributed_numbers(on, {number_kind::unsigned_integer, 8}, work.n, read,
                                            write);
  } else if (work.program == "fft") {
    pleat::arrays::transform_distributed_numbers(on, pleat::arrays::fft_kind::fft,
                                                 {number_kind::complex, 16}, {work.n}, read, write);
  } else if (work.program == "matmul") {
    pleat::distributed_matrix<double> a(on, work.n, work.n), b(on, work.n, work.n),
        c(on, work.n, work.n);
    count.start();
    pleat::matmul(on, a, b, c);
    count.stop();
  } else {
    const std::vector<std::size_t> shape(work.program == "stencil1" ? 1 : 2, work.n);
    pleat::arrays::step_distributed_cells(on, pleat::arrays::stencil_kernel::heat, work.steps,
                                          {number_kind::floating, 8}, shape, read, write);
  }
}

class CountedMessages : public testing::TestWithParam<ranked_work> {};

// Bytes within 15 %, messages within 20 %: pieces of 32 KiB or more travel alone. Costs add up the
// bytes of the rank with most in each superstep, the test those of one rank: stencils send to one
// side in one superstep, to the other in the next, so that one of two ranks sends but two thirds of
// that.
TEST_P(CountedMessages, AreThoseThatMpiSends) {
  const ranked_work& work = GetParam();
  int all = 1, self = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  for (const int ranks : {2, 3, 8, 16}) {
    if (ranks > all) continue;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, self < ranks ? 0 : MPI_UNDEFINED, self, &comm);
    if (comm != MPI_COMM_NULL) {
      counting count(comm);
      {
        pleat::rank_options options = pleat::mpi::over(comm, {.processors = 1});
        options.link->set_cost(pleat::bench::cost_of_choice);
        pleat::machine on(std::move(options));
        carry_out(work, on, count);
      }
      const auto costs = pleat::bench::costs_over_ranks(work, {static_cast<std::size_t>(ranks), 1});
      ASSERT_TRUE(costs || work.program == "fft");
      if (costs) {
        const double leaving = costs->runs * (ranks - 1);  // messages of which none was counted
        const double sent = count.messages_of_first() + leaving;
        const double sent_most =
            count.most_bytes() + leaving * (before + sizeof(pleat::detail::packet_head));
        const double bytes = sent_most / costs->bytes, messages = sent / costs->messages;
        if (self == 0) {
          std::printf("%-8s n %-8zu %2d ranks: bytes %.0f of %.0f counted, messages %.0f of %.0f\n",
                      std::string(work.program).c_str(), work.n, ranks, costs->bytes, sent_most,
                      costs->messages, sent);
          std::fflush(stdout);
        }
        EXPECT_GE(bytes, work.program.starts_with("stencil") ? 0.65 : 0.85)
            << work.program << " on " << ranks << " ranks";
        EXPECT_LE(bytes, 1.15) << work.program << " on " << ranks << " ranks";
        EXPECT_GE(messages, 0.8) << work.program << " on " << ranks << " ranks";
        EXPECT_LE(messages, 1.2) << work.program << " on " << ranks << " ranks";
      }
      MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, CountedMessages,
                         testing::Values(ranked_work{"sort", 1 << 18, 8, 1, 0},
                                         ranked_work{"fft", 1 << 16, 16, 1, 0},
                                         ranked_work{"matmul", 384, 8, 1, 0},
                                         ranked_work{"stencil1", 1 << 16, 8, 1, 300},
                                         ranked_work{"stencil2", 256, 8, 1, 20}),
                         [](const auto& one) { return std::string(one.param.program); });

}  // namespace
