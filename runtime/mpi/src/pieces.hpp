// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mpi.h>
#include <utility>
#include <vector>

namespace pleat::mpi {

/// Memory in several places as one message, however long: counts of MPI are ints.
class pieces {
 public:
  pieces() = default;
  pieces(pieces&& other) noexcept
      : addresses_(std::move(other.addresses_)),
        lengths_(std::move(other.lengths_)),
        type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  pieces& operator=(pieces&&) = delete;
  ~pieces() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

  void add(std::byte* first, std::size_t bytes) {
    while (bytes != 0) {
      const std::size_t some = std::min(bytes, largest);
      addresses_.push_back(first);
      lengths_.push_back(static_cast<int>(some));
      first += some;
      bytes -= some;
    }
  }
  [[nodiscard]] bool empty() const noexcept { return lengths_.empty(); }

  /// Completes the request. Neither send nor receive throw afterwards.
  void complete() {
    if (lengths_.size() < 2) return;
    std::vector<MPI_Aint> from_bottom(addresses_.size());
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      MPI_Get_address(addresses_[i], &from_bottom[i]);
    MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), from_bottom.data(),
                             MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  /// Requires: complete, and not empty.
  void send(int to, int tag, MPI_Comm comm, MPI_Request* request) const noexcept {
    if (type_ == MPI_DATATYPE_NULL)
      MPI_Isend(addresses_[0], lengths_[0], MPI_BYTE, to, tag, comm, request);
    else
      MPI_Isend(MPI_BOTTOM, 1, type_, to, tag, comm, request);
  }
  void receive(int from, int tag, MPI_Comm comm, MPI_Request* request) const noexcept {
    if (type_ == MPI_DATATYPE_NULL)
      MPI_Irecv(addresses_[0], lengths_[0], MPI_BYTE, from, tag, comm, request);
    else
      MPI_Irecv(MPI_BOTTOM, 1, type_, from, tag, comm, request);
  }

 private:
  static constexpr std::size_t largest = std::size_t{1} << 30;

  std::vector<std::byte*> addresses_;
  std::vector<int> lengths_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace pleat::mpi
