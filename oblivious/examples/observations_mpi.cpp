// SPDX-License-Identifier: Apache-2.0
//
// A summary of so many observations on all processes that mpirun starts:
//
//     mpirun -n 3 example_oblivious_observations_openmpi 1000003
#include <cstddef>
#include <exception>
#include <iostream>
#include <mpi.h>
#include <string>

#include <pleat/mpi/over.hpp>

#include "observations.hpp"

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int failed = 0;
  try {
    const std::size_t n = argc > 1 ? std::stoul(argv[1]) : 1'000'003;
    pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD));
    const observations::summary found = observations::of(machine, n);
    if (machine.rank() == 0) {
      std::clog << machine.processors() << " processors of " << machine.ranks() << " processes\n";
      std::cout.precision(17);
      std::cout << "mean " << found.mean << ", least " << found.least << ", median " << found.median
                << ", greatest " << found.greatest << '\n';
    }
  } catch (const std::exception& error) {  // the same on all processes
    std::cerr << "observations: " << error.what() << '\n';
    failed = 1;
  }
  MPI_Finalize();
  return failed;
}
