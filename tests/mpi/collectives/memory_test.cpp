// SPDX-License-Identifier: Apache-2.0
// Memory that calls take, and errors of those that find none.
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "faults/rationed_memory.hpp"
#include "pending_sum.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace memory_test {

/// Bytes that reduce_scatter of `bytes` bytes of a type takes at most at a time.
std::size_t memory_of_reduction(MPI_Comm comm, MPI_Datatype type, std::size_t bytes) {
  int size = 0;
  MPI_Type_size(type, &size);
  const std::size_t ranks = static_cast<std::size_t>(size_of(comm));
  const std::size_t each = bytes / static_cast<std::size_t>(size) / ranks;
  const std::vector<int> counts(ranks, static_cast<int>(each));
  const std::vector<std::byte> from(bytes);
  std::vector<std::byte> to(bytes);
  std::size_t most = 0;
  for (int i = 0; i < 2; ++i) {  // the first call makes what later ones have
    const std::size_t before = faults::bytes_in_use();
    faults::forget_most_bytes();
    MPI_Reduce_scatter(from.data(), to.data(), counts.data(), type, MPI_MAX, comm);
    most = faults::most_bytes_in_use() - before;
  }
  return most;
}

TEST(reduce_scatter, takes_no_more_memory_for_small_elements) {
  each_size({2, 5}, [](MPI_Comm comm) {
    constexpr std::size_t bytes = std::size_t{1} << 22;
    EXPECT_LT(memory_of_reduction(comm, MPI_SIGNED_CHAR, bytes),
              memory_of_reduction(comm, MPI_DOUBLE, bytes) + bytes / 16);
  });
}

int class_of(int code) {
  int error = MPI_SUCCESS;
  MPI_Error_class(code, &error);
  return error;
}

MPI_Comm copy_that_returns_errors(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

/// Calls of MPI for which one allocation is refused.
struct ration {
  std::size_t granted = 0;
  bool refused = false;
  template <class Call> int operator()(const Call& call) {
    faults::ration_thread(granted);
    const int code = call();
    refused = faults::end_thread_ration();
    return code;
  }
};
using call = std::function<int(MPI_Comm, ration&)>;

/// Calls of which each rank makes the same allocations before it sends anything.
std::vector<std::pair<const char*, call>> calls() {
  const auto makes_communicator = [](auto make) {
    return [make](MPI_Comm comm, ration& within) {
      MPI_Comm made = MPI_COMM_NULL;
      const int code = within([&] { return make(comm, &made); });
      if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
      return code;
    };
  };
  return {
      {"Comm_dup", makes_communicator(MPI_Comm_dup)},
      {"Comm_split", makes_communicator([](MPI_Comm comm, MPI_Comm* made) {
         return MPI_Comm_split(comm, 0, 0, made);
       })},
      {"Win_create",
       [](MPI_Comm comm, ration& within) {
         MPI_Win made = MPI_WIN_NULL;
         const int code =
             within([&] { return MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, comm, &made); });
         if (made != MPI_WIN_NULL) MPI_Win_free(&made);
         return code;
       }},
  };
}

TEST(calls, that_find_no_memory_return_an_error_and_can_be_repeated) {
  for (const auto& [name, perform] : calls()) {
    each_size({2, 5}, [&, what = name, &act = perform](MPI_Comm comm) {
      ration little, plenty{1'000'000};
      do {
        MPI_Comm fresh = copy_that_returns_errors(comm);
        const int code = act(fresh, little);
        EXPECT_EQ(class_of(code), little.refused ? MPI_ERR_NO_MEM : MPI_SUCCESS)
            << what << ' ' << little.granted;
        EXPECT_EQ(act(fresh, plenty), MPI_SUCCESS) << what << ' ' << little.granted;
        MPI_Comm_free(&fresh);
      } while (little.refused && ++little.granted != 0);
      EXPECT_GT(little.granted, 0u) << what << " allocates nothing";
    });
  }
}

// A sum to which the last rank has added nothing runs meanwhile.
TEST(sendrecv_replace, that_finds_no_memory_returns_an_error_and_leaves_the_data) {
  each_size({2, 5}, [](MPI_Comm of_program) {
    MPI_Comm comm = copy_that_returns_errors(of_program);
    const int me = rank_in(comm), last = size_of(comm) - 1;
    if (me == last)
      for (int rank = 0; rank < last; ++rank)
        MPI_Recv(nullptr, 0, MPI_INT, rank, 4, comm, MPI_STATUS_IGNORE);
    pending_sum sum(comm);
    if (me != last) {
      int data = 7;
      const auto replace = [&] {
        return MPI_Sendrecv_replace(&data, 1, MPI_INT, me, 3, me, 3, comm, MPI_STATUS_IGNORE);
      };
      ration nothing;
      EXPECT_EQ(class_of(nothing(replace)), MPI_ERR_NO_MEM);
      EXPECT_TRUE(nothing.refused);
      EXPECT_EQ(replace(), MPI_SUCCESS);
      EXPECT_EQ(data, 7);
      MPI_Send(nullptr, 0, MPI_INT, last, 4, comm);
    }
    sum.wait();
    MPI_Comm_free(&comm);
  });
}

}  // namespace memory_test
}  // namespace pleat::testing_ranks
