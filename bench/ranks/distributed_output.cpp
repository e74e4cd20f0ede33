// SPDX-License-Identifier: Apache-2.0
#include "distributed_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mpi.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

// MPI counts bytes by an int.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

// The errors of a file are returned, unlike others', which end all processes.
void require(int code, const std::string& target) {
  if (code == MPI_SUCCESS) return;
  int kind = MPI_ERR_UNKNOWN;
  MPI_Error_class(code, &kind);
  std::string advice;
  if (kind == MPI_ERR_NO_SPACE || kind == MPI_ERR_QUOTA)
    advice = "; free some space or choose another disk";
  else if (kind == MPI_ERR_ACCESS || kind == MPI_ERR_READ_ONLY)
    advice = "; choose a place you may write to";
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(kind, words.data(), &length);
  throw error("cannot write " + target + ": " +
              std::string(words.data(), static_cast<std::size_t>(length)) + advice);
}

// A file that all ranks have open. If one could not open it, none has.
class shared_file {
 public:
  shared_file(const rank_group& all, const std::string& name, const std::string& target) {
    const int code =
        MPI_File_open(all.processes(), name.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    all.each([&] { require(code, target); });
  }
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;
  ~shared_file() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }

  // One piece of each rank. What MPI returns, as if it were an error to write less.
  [[nodiscard]] int write(std::span<const std::byte> piece, std::size_t offset) {
    MPI_Status status{};
    const int code = MPI_File_write_at_all(file_, static_cast<MPI_Offset>(offset), piece.data(),
                                           static_cast<int>(piece.size()), MPI_BYTE, &status);
    if (code != MPI_SUCCESS) return code;
    int written = 0;
    MPI_Get_count(&status, MPI_BYTE, &written);
    return static_cast<std::size_t>(written) == piece.size() ? MPI_SUCCESS : MPI_ERR_NO_SPACE;
  }
  [[nodiscard]] int sync() { return MPI_File_sync(file_); }
  [[nodiscard]] int close() { return MPI_File_close(&file_); }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

distributed_output::distributed_output(const rank_group& all, std::string target)
    : all_(all), target_(std::move(target)) {
  all_.first([&] {
    file_.emplace(target_);
    temporary_ = file_->temporary().string();
  });
  temporary_ = all_.text_of(0, temporary_);
  all_.each([&] {
    if (::access(temporary_.c_str(), W_OK) == 0) return;
    throw error("cannot write " + target_ + ": its folder is not that of rank 0 (" +
                std::generic_category().message(errno) + "); choose one that all processes share");
  });
}

void distributed_output::write(std::string_view preamble, std::size_t bytes,
                               std::span<const std::byte> block, std::size_t offset) {
  const std::size_t start = all_.greatest(preamble.size());
  all_.first([&] {
    file_->reserve(start + bytes);
    file_->write(preamble);
  });
  shared_file file(all_, temporary_, target_);
  const std::size_t pieces = all_.greatest((block.size() + most_at_once - 1) / most_at_once);
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t first = std::min(block.size(), i * most_at_once);
    const std::size_t size = std::min(block.size() - first, most_at_once);
    const int code = file.write(block.subspan(first, size), start + offset + first);
    all_.each([&] { require(code, target_); });
  }
  const int code = file.sync();
  all_.each([&] { require(code, target_); });
  const int closed = file.close();
  all_.each([&] { require(closed, target_); });
}

void distributed_output::commit() {
  all_.first([&] { file_->commit(); });
}

}  // namespace pleat::bench
