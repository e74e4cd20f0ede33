// SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace pleat::mpi {

namespace {

constexpr int tag = 1;

std::size_t size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

/// Memory as a datatype, whose counts are ints: in blocks that an int can count.
class pieces {
 public:
  void add(const std::byte* first, std::size_t bytes) {
    while (bytes != 0) {
      const std::size_t some = std::min(bytes, largest);
      MPI_Aint address = 0;
      MPI_Get_address(first, &address);
      addresses_.push_back(address);
      lengths_.push_back(static_cast<int>(some));
      first += some;
      bytes -= some;
    }
  }
  /// For MPI_BOTTOM; to be freed.
  [[nodiscard]] MPI_Datatype type() const {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), addresses_.data(),
                             MPI_BYTE, &made);
    MPI_Type_commit(&made);
    return made;
  }

  static constexpr std::size_t largest = std::size_t{1} << 30;

 private:
  std::vector<MPI_Aint> addresses_;
  std::vector<int> lengths_;
};

}  // namespace

traffic::traffic(MPI_Comm own)
    : comm_(own), received_(size_of(own)), ours_(received_.size()), theirs_(received_.size()) {
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
}

traffic::~traffic() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_free(&comm_);
}

void traffic::post(std::size_t to, std::vector<detail::byte_buffer> parts) {
  sending& one = sendings_.emplace_back(sending{MPI_REQUEST_NULL, std::move(parts)});
  std::erase_if(one.parts, [](const detail::byte_buffer& part) { return part.empty(); });
  const int destination = static_cast<int>(to);
  if (one.parts.size() == 1 && one.parts[0].size() <= pieces::largest) {
    MPI_Isend(one.parts[0].begin(), static_cast<int>(one.parts[0].size()), MPI_BYTE, destination,
              tag, comm_, &one.request);
  } else {
    pieces memory;
    for (const detail::byte_buffer& part : one.parts) memory.add(part.begin(), part.size());
    MPI_Datatype type = memory.type();
    MPI_Isend(MPI_BOTTOM, 1, type, destination, tag, comm_, &one.request);
    MPI_Type_free(&type);
  }
  ++ours_[to].sent;
}

void traffic::free_what_is_sent() {
  std::erase_if(sendings_, [](sending& one) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

/// Begins to receive a message that has come.
void traffic::receive_next() {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &there, &message, &status);
  if (there == 0) return;
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  receiving& one = receivings_.emplace_back();
  one.from = static_cast<std::size_t>(status.MPI_SOURCE);
  const auto size = static_cast<std::size_t>(bytes);
  one.bytes.append(size);
  if (size <= pieces::largest) {
    MPI_Imrecv(one.bytes.begin(), static_cast<int>(size), MPI_BYTE, &message, &one.request);
    return;
  }
  pieces memory;
  memory.add(one.bytes.begin(), size);
  MPI_Datatype type = memory.type();
  MPI_Imrecv(MPI_BOTTOM, 1, type, &message, &one.request);
  MPI_Type_free(&type);
}

std::optional<detail::link::arrival> traffic::poll() {
  free_what_is_sent();
  receive_next();
  // Those from one rank in the order in which they came, though a later one may be there first.
  for (auto one = receivings_.begin(); one != receivings_.end(); ++one) {
    const bool in_turn = std::none_of(receivings_.begin(), one, [&](const receiving& before) {
      return before.from == one->from;
    });
    if (!in_turn) continue;
    int done = 0;
    MPI_Test(&one->request, &done, MPI_STATUS_IGNORE);
    if (done == 0) continue;
    ++received_[one->from];
    detail::link::arrival all{one->from, std::move(one->bytes)};
    receivings_.erase(one);
    return all;
  }
  return std::nullopt;
}

}  // namespace pleat::mpi
