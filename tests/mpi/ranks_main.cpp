// SPDX-License-Identifier: Apache-2.0
//
// A GoogleTest program whose every rank runs every test. Only rank 0 reports what passes; a failure
// is reported by the rank that has it, and the others go on.
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string>

#include <gtest/gtest.h>

namespace {

class failures_of_rank : public testing::EmptyTestEventListener {
 public:
  explicit failures_of_rank(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  // GoogleTest holds its lock meanwhile: it may be asked nothing.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed() || ++told_ > 5) return;
    std::fprintf(stderr, "rank %d, %s: %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() != nullptr ? result.file_name() : "", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
  int told_ = 0;
  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  int threads = 0, rank = 0;
  const bool single = std::getenv("PLEAT_TEST_THREADS") != nullptr;
  MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &threads);
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
