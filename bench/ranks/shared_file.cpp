// SPDX-License-Identifier: Apache-2.0
#include "shared_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "rank_group.hpp"

namespace pleat::bench {
namespace {

// MPI counts bytes by an int.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

// A type of so many bytes, however many.
MPI_Datatype bytes_type(std::size_t bytes) {
  const auto whole = static_cast<int>(bytes / most_at_once);
  const auto rest = static_cast<int>(bytes % most_at_once);
  MPI_Datatype piece = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(most_at_once), MPI_BYTE, &piece);
  std::array<int, 2> counts{whole, rest};
  std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(bytes) - rest};
  std::array<MPI_Datatype, 2> types{piece, MPI_BYTE};
  MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type);
  MPI_Type_free(&piece);
  return type;
}

std::string advice_on(int kind) {
  if (kind == MPI_ERR_NO_SPACE || kind == MPI_ERR_QUOTA)
    return "; free some space or choose another disk";
  if (kind == MPI_ERR_ACCESS || kind == MPI_ERR_READ_ONLY)
    return "; choose a place you may write to";
  return "";
}

}  // namespace

shared_file::shared_file(const rank_group& all, const std::string& name, std::string target)
    : all_(all), target_(std::move(target)) {
  require(MPI_File_open(all.processes(), name.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_));
}

shared_file::~shared_file() {
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

// The errors of a file are returned, unlike others', which end all processes.
void shared_file::require(int code) const {
  all_.each([&] {
    if (code == MPI_SUCCESS) return;
    int kind = MPI_ERR_UNKNOWN;
    MPI_Error_class(code, &kind);
    std::array<char, MPI_MAX_ERROR_STRING> words{};
    int length = 0;
    MPI_Error_string(kind, words.data(), &length);
    throw error("cannot write " + target_ + ": " +
                std::string(words.data(), static_cast<std::size_t>(length)) + advice_on(kind));
  });
}

// Sets the view of this rank on the file: the bytes of its rows.
void shared_file::look_at(const rows_of_file& rows, std::size_t bytes) {
  MPI_Datatype view = MPI_BYTE;
  const bool apart = bytes > rows.width && rows.width < rows.stride;
  if (apart) {
    MPI_Datatype row = bytes_type(rows.width);
    MPI_Type_create_resized(row, 0, static_cast<MPI_Aint>(rows.stride), &view);
    MPI_Type_commit(&view);
    MPI_Type_free(&row);
  }
  const int code = MPI_File_set_view(file_, static_cast<MPI_Offset>(rows.offset), MPI_BYTE, view,
                                     "native", MPI_INFO_NULL);
  if (apart) MPI_Type_free(&view);
  require(code);
}

// Writes a piece. Returns what MPI returns, as if it were an error to write less.
int shared_file::write_piece(std::span<const std::byte> piece, std::size_t offset) {
  MPI_Status status{};
  const int code = MPI_File_write_at_all(file_, static_cast<MPI_Offset>(offset), piece.data(),
                                         static_cast<int>(piece.size()), MPI_BYTE, &status);
  if (code != MPI_SUCCESS) return code;
  int written = 0;
  MPI_Get_count(&status, MPI_BYTE, &written);
  return static_cast<std::size_t>(written) == piece.size() ? MPI_SUCCESS : MPI_ERR_NO_SPACE;
}

void shared_file::write(std::span<const std::byte> block, const rows_of_file& place) {
  look_at(place, block.size());
  const std::size_t pieces = all_.greatest((block.size() + most_at_once - 1) / most_at_once);
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t first = std::min(block.size(), i * most_at_once);
    const std::size_t size = std::min(block.size() - first, most_at_once);
    require(write_piece(block.subspan(first, size), first));
  }
}

void shared_file::finish() {
  require(MPI_File_sync(file_));
  require(MPI_File_close(&file_));
}

}  // namespace pleat::bench
