// SPDX-License-Identifier: Apache-2.0
//
// calls OPERATION:BYTES…   performs each call once, so that a preloaded layer can write down its
// messages (tests/mpi/message_count.cpp); MPI_Pcontrol tells it where a call begins.
#include <cstdio>
#include <mpi.h>
#include <string>

#include "../tune/tuned_calls.hpp"

// Calls that a preloaded library answers, if there is one.
#define PLEAT_OPERATION(name, call) MPI_##call,
const pleat::preloaded::collective_calls calls_of_this_program{PLEAT_OPERATIONS(PLEAT_OPERATION)};
#undef PLEAT_OPERATION

int main(int argc, char** argv) {
  using namespace pleat::preloaded;
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t colon = word.find(':');
    std::size_t what = 0;
    while (what < operations && operation_names[what] != word.substr(0, colon)) ++what;
    if (what == operations || colon == std::string::npos) {
      std::fprintf(stderr, "'%s' is no OPERATION:BYTES\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    tuned_call call(static_cast<operation>(what), std::stoull(word.substr(colon + 1)),
                    MPI_COMM_WORLD);
    MPI_Pcontrol(1, argv[i]);
    call.perform(calls_of_this_program);
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
