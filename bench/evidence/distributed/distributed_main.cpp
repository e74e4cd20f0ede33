// SPDX-License-Identifier: Apache-2.0
//
// pleat-distributed-openmpi, pleat-distributed-mpich: compare work on distributed data by Pleat
// with the same work by an MPI program without Pleat, interleaved in the same processes.
//
//     mpirun.openmpi -n 2 pleat-distributed-openmpi sort --n 2^26
//
// Results are verified before anything is timed. Each comparison prints a line of JSON on standard
// output, as an entry of `pleat compare`'s `comparisons`.
#include <cstddef>
#include <exception>
#include <iostream>
#include <mpi.h>
#include <string>

#include <CLI/CLI.hpp>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>

#include "base/process_defaults.hpp"
#include "tool/words.hpp"
#include "work_of_ranks.hpp"

namespace {

using pleat::bench::parse_count;

struct command_line {
  CLI::App app{"Distributed work by Pleat beside what an MPI program does without it"};
  std::size_t repetitions = 11, steps = 1000, lines = 1;
  std::string keys = "2^26", words = "1000", cells = "2^22", side = "4096", numbers = "2^24",
              order = "4096";

  command_line() {
    app.require_subcommand(1);
    app.add_option("--repetitions", repetitions, "samples of each")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag_callback(
        "--apart", [] { pleat::detail::defaults.reads_neighbours = false; },
        "ranks of a node share no memory, as if each had a node of its own");
    app.fallthrough();
    add("sort", "64-bit keys beside a sample sort", keys, "number of keys, of all ranks");
    add("superstep", "an h-relation beside MPI_Alltoallv", words, "words from each rank, h");
    add("stencil1", "heat in a row beside an exchange of halos", cells, "cells, of all ranks");
    add("stencil2", "heat in a square beside the same", side, "cells of a side");
    for (const char* name : {"stencil1", "stencil2"})
      app.get_subcommand(name)
          ->add_option("--steps", steps, "steps")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
#ifdef PLEAT_WITH_FFTW_MPI
    add("fft", "complex numbers beside FFTW's", numbers, "numbers in a line");
    app.get_subcommand("fft")
        ->add_option("--lines", lines, "lines, of all ranks")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
#endif
#ifdef PLEAT_WITH_SCALAPACK
    add("matmul", "matrices of double beside ScaLAPACK's", order, "rows, and columns");
#endif
  }

  void compare() const {
    using namespace pleat::bench;
    pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD));
    if (app.got_subcommand("sort"))
      compare_distributed_sort(machine, parse_count(keys, "--n", 1), repetitions);
    if (app.got_subcommand("superstep"))
      compare_superstep(machine, parse_count(words, "--n", 1), repetitions);
    if (app.got_subcommand("stencil1"))
      compare_distributed_stencil(machine, 1, parse_count(cells, "--n", 1), steps, repetitions);
    if (app.got_subcommand("stencil2"))
      compare_distributed_stencil(machine, 2, parse_count(side, "--n", 1), steps, repetitions);
#ifdef PLEAT_WITH_FFTW_MPI
    if (app.got_subcommand("fft"))
      compare_distributed_fft(machine, parse_count(numbers, "--n", 1), lines, repetitions);
#endif
#ifdef PLEAT_WITH_SCALAPACK
    if (app.got_subcommand("matmul"))
      compare_distributed_matmul(machine, parse_count(order, "--n", 1), repetitions);
#endif
  }

 private:
  void add(const char* name, const char* what, std::string& n, const char* of_what) {
    app.add_subcommand(name, what)->add_option("--n", n, of_what)->capture_default_str();
  }
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  command_line line;
  try {
    line.app.parse(argc, argv);
    line.compare();
    status = 0;
  } catch (const CLI::ParseError& e) {  // thrown on all ranks
    status = rank == 0 ? line.app.exit(e) : e.get_exit_code();
    if (status != 0) status = 2;
  } catch (const pleat::usage_error& e) {  // thrown on all ranks
    if (rank == 0) std::cerr << "error: " << e.what() << '\n';
    status = 2;
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
