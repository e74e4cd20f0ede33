// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <pleat/runtime/error.hpp>

namespace pleat::mpi {

namespace {

std::string words_of(const std::exception_ptr& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

void check(int code) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  std::ranges::replace(words, '\n', ' ');
  throw environment_error("MPI cannot give what a machine over ranks needs: " +
                          std::string(words.data(), static_cast<std::size_t>(length)));
}

bool agree(MPI_Comm all, const std::exception_ptr& failed, int number) {
  const int rank = static_cast<int>(rank_in(all)), size = static_cast<int>(size_of(all));
  std::array<int, 3> least{failed ? rank : size, number, -number};
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_INT, MPI_MIN, all));
  const int first = least[0];
  if (first == size) return least[1] == -least[2];
  std::string words = first == rank ? words_of(failed) : "";
  int length = static_cast<int>(words.size());
  check(MPI_Bcast(&length, 1, MPI_INT, first, all));
  words.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(words.data(), length, MPI_CHAR, first, all));
  if (failed) std::rethrow_exception(failed);
  throw environment_error("rank " + std::to_string(first) + ": " + words);
}

}  // namespace pleat::mpi
