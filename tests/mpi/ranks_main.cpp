// SPDX-License-Identifier: Apache-2.0
//
// A GoogleTest program whose every rank runs every test. Only rank 0 reports what passes; a failure
// is reported by the rank that has it, and the others go on.
#include <cstdio>
#include <mpi.h>

#include <gtest/gtest.h>

namespace {

class failures_of_rank : public testing::EmptyTestEventListener {
 public:
  explicit failures_of_rank(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.passed() || ++told_ > 5) return;
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "rank %d, %s.%s: %s:%d: %s\n", rank_,
                 test != nullptr ? test->test_suite_name() : "",
                 test != nullptr ? test->name() : "",
                 result.file_name() != nullptr ? result.file_name() : "", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
  int told_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int threads = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failures_of_rank(rank));
  }
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
