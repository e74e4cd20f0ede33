// SPDX-License-Identifier: Apache-2.0
#include "random_call.hpp"

#include <algorithm>
#include <numeric>

#include "persistent.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {

namespace {

template <class Value> std::vector<int> made(std::size_t count, const Value& value) {
  std::vector<int> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = value(i);
  return data;
}

/// x → a x + b modulo 2^32, in two numbers: composition does not commute.
struct map {
  unsigned a, b;
};
void compose(void* left, void* right, int* count, MPI_Datatype*) {
  const auto* const first = static_cast<const map*>(left);
  auto* const second = static_cast<map*>(right);
  for (int i = 0; i < *count; ++i) {
    second[i] = {first[i].a * second[i].a, second[i].a * first[i].b + second[i].b};
  }
}

/// The operator on a type of two integers; both stay as long as the process.
struct composition {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  composition() {
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
  }
};

}  // namespace

// The three forms of a call whose arguments are these.
#define PLEAT_FORMS(name, lower, ...)                                                            \
  blocking_ = [=, this] { MPI_##name(__VA_ARGS__, comm); };                                      \
  non_blocking_ = [=, this](MPI_Request* request) { MPI_I##lower(__VA_ARGS__, comm, request); }; \
  persistent_ = [=, this](MPI_Request* request) {                                                \
    PLEAT_INIT(name)(__VA_ARGS__, comm, MPI_INFO_NULL, request);                                 \
  }

// Groups of the same communicator have different numbers of ranks, so draws are reduced to them
// only after they were drawn.
random_call::random_call(std::mt19937_64& draw, MPI_Comm comm) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(draw() % n); };
  const auto p = static_cast<std::size_t>(size_of(comm));
  const auto rank = static_cast<std::size_t>(rank_in(comm));
  operation_ = static_cast<int>(below(18));
  const std::size_t root_at = below(1000) % p;
  const bool is_root = rank == root_at;
  const int root = static_cast<int>(root_at);
  const std::size_t count = below(10) == 0 ? 0 : below(2) == 0 ? below(30) : below(6000);
  const bool in_place = below(4) == 0;
  const int n = static_cast<int>(count);
  const std::size_t most = below(2) == 0 ? 3 : 900;
  const int salt = static_cast<int>(below(1000));
  counts_.resize(p);
  places_.resize(p);
  for (std::size_t r = 0; r < 17; ++r) {
    const std::size_t drawn = below(most);
    if (r < p) counts_[r] = static_cast<int>(drawn);
  }
  if (operation_ == 10 || operation_ == 11) {  // numbers of the pair: the same in both directions
    counts_[0] += 1;                           // MPICH takes two buffers at no address for one
    std::vector<int> numbers(p);
    for (std::size_t r = 0; r < p; ++r) numbers[r] = counts_[(rank + r) % p];
    numbers.swap(counts_);
    types_.assign(p, MPI_INT);
  }
  std::exclusive_scan(counts_.begin(), counts_.end(), places_.begin(), 0);
  for (const int place : places_) bytes_before_.push_back(place * static_cast<int>(sizeof(int)));
  const auto total = static_cast<std::size_t>(places_.back() + counts_.back());
  may_be_empty_ = count == 0 || total == 0;
  const auto own = static_cast<std::size_t>(counts_[rank]);
  const auto first = static_cast<std::size_t>(places_[rank]);
  const auto of = [salt](std::size_t r) {
    return [=](std::size_t i) { return number(static_cast<int>(r) + salt, i); };
  };
  const auto sum_to = [of](std::size_t ranks) {
    return [=](std::size_t i) {
      int result = 0;
      for (std::size_t r = 0; r < ranks; ++r) result += of(r)(i);
      return result;
    };
  };
  const auto one_after_another = [&] {
    std::vector<int> all;
    for (std::size_t r = 0; r < p; ++r) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(counts_[r]); ++i)
        all.push_back(of(r)(i));
    }
    return all;
  };
  const auto blocks_of_5 = [&] {
    return made(p * 5, [&](std::size_t i) { return of(i / 5)(i % 5); });
  };
  // The input's buffer, of which `out_` has the elements from the i-th on, if it may be in place.
  const auto input_in = [&](std::size_t i) -> const void* {
    if (!in_place) return in_.data();
    out_.resize(std::max(out_.size(), i + in_.size()));
    std::ranges::copy(in_, out_.begin() + static_cast<std::ptrdiff_t>(i));
    return MPI_IN_PLACE;
  };
  // Elements that a call does not write stay 0.
  const void* from = nullptr;
  switch (operation_) {
    case 0:
      out_ = is_root ? made(count, of(root_at)) : std::vector<int>(count);
      expected_ = made(count, of(root_at));
      PLEAT_FORMS(Bcast, bcast, out_.data(), n, MPI_INT, root);
      break;
    case 1:
      in_ = made(5, of(rank));
      out_.resize(p * 5);
      expected_ = blocks_of_5();
      from = input_in(rank * 5);
      PLEAT_FORMS(Allgather, allgather, from, 5, MPI_INT, out_.data(), 5, MPI_INT);
      break;
    case 2:
      in_ = made(own, of(rank));
      out_.resize(total);
      expected_ = one_after_another();
      PLEAT_FORMS(Allgatherv, allgatherv, in_.data(), static_cast<int>(own), MPI_INT, out_.data(),
                  counts_.data(), places_.data(), MPI_INT);
      break;
    case 3:
      in_ = made(count, of(rank));
      out_.resize(count);
      expected_ = is_root ? made(count, sum_to(p)) : out_;
      PLEAT_FORMS(Reduce, reduce, in_.data(), out_.data(), n, MPI_INT, MPI_SUM, root);
      break;
    case 4:
      in_ = made(count, of(rank));
      out_.resize(count);
      expected_ = made(count, sum_to(p));
      from = input_in(0);
      PLEAT_FORMS(Allreduce, allreduce, from, out_.data(), n, MPI_INT, MPI_SUM);
      break;
    case 5:
      in_ = made(total, of(rank));
      out_.resize(own);
      expected_ = made(own, [&](std::size_t i) { return sum_to(p)(first + i); });
      PLEAT_FORMS(Reduce_scatter, reduce_scatter, in_.data(), out_.data(), counts_.data(), MPI_INT,
                  MPI_SUM);
      break;
    case 6:
      in_ = made(p * count, of(rank));
      out_.resize(count);
      expected_ = made(count, [&](std::size_t i) { return sum_to(p)(rank * count + i); });
      PLEAT_FORMS(Reduce_scatter_block, reduce_scatter_block, in_.data(), out_.data(), n, MPI_INT,
                  MPI_SUM);
      break;
    case 7:
      in_ = made(count, of(rank));
      out_.resize(count);
      expected_ = made(count, sum_to(rank + 1));
      from = input_in(0);
      PLEAT_FORMS(Scan, scan, from, out_.data(), n, MPI_INT, MPI_SUM);
      break;
    case 8:
      in_ = made(count, of(rank));
      out_.resize(count);
      expected_ = made(count, sum_to(rank));
      PLEAT_FORMS(Exscan, exscan, in_.data(), out_.data(), n, MPI_INT, MPI_SUM);
      break;
    case 9:
      in_ = made(p * 5, of(rank));
      out_.resize(p * 5);
      expected_ = made(p * 5, [&](std::size_t i) { return of(i / 5)(rank * 5 + i % 5); });
      from = input_in(0);
      PLEAT_FORMS(Alltoall, alltoall, from, 5, MPI_INT, out_.data(), 5, MPI_INT);
      break;
    case 10:
    case 11:
      in_ = made(total, of(rank));
      out_.resize(total);
      for (std::size_t r = 0; r < p; ++r) {
        // Rank r's numbers are this one's, shifted; its block for this rank lies behind the others.
        std::size_t at = 0;
        for (std::size_t to = 0; to < rank; ++to) {
          at += static_cast<std::size_t>(counts_[(r + to + p - rank) % p]);
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(counts_[r]); ++i) {
          expected_.push_back(of(r)(at + i));
        }
      }
      if (operation_ == 10) {
        PLEAT_FORMS(Alltoallv, alltoallv, in_.data(), counts_.data(), places_.data(), MPI_INT,
                    out_.data(), counts_.data(), places_.data(), MPI_INT);
      } else {
        PLEAT_FORMS(Alltoallw, alltoallw, in_.data(), counts_.data(), bytes_before_.data(),
                    types_.data(), out_.data(), counts_.data(), bytes_before_.data(),
                    types_.data());
      }
      break;
    case 12:
      in_ = made(5, of(rank));
      out_.resize(p * 5);
      expected_ = is_root ? blocks_of_5() : out_;
      PLEAT_FORMS(Gather, gather, in_.data(), 5, MPI_INT, out_.data(), 5, MPI_INT, root);
      break;
    case 13:
      in_ = made(own, of(rank));
      out_.resize(total);
      expected_ = is_root ? one_after_another() : out_;
      PLEAT_FORMS(Gatherv, gatherv, in_.data(), static_cast<int>(own), MPI_INT, out_.data(),
                  counts_.data(), places_.data(), MPI_INT, root);
      break;
    case 14:
      in_ = made(p * count, of(root_at));
      out_.resize(count);
      expected_ = made(count, [&](std::size_t i) { return of(root_at)(rank * count + i); });
      PLEAT_FORMS(Scatter, scatter, in_.data(), n, MPI_INT, out_.data(), n, MPI_INT, root);
      break;
    case 15:
      in_ = made(total, of(root_at));
      out_.resize(own);
      expected_ = made(own, [&](std::size_t i) { return of(root_at)(first + i); });
      PLEAT_FORMS(Scatterv, scatterv, in_.data(), counts_.data(), places_.data(), MPI_INT,
                  out_.data(), static_cast<int>(own), MPI_INT, root);
      break;
    default: {  // in the order of ranks
      static const composition maps;
      const MPI_Datatype type = maps.type;
      const MPI_Op op = maps.op;
      in_ = made(2 * count, of(rank));
      out_.resize(2 * count);
      expected_ = made(2 * count, of(0));
      int pairs = n;
      for (std::size_t r = 1; r < p; ++r) {
        std::vector<int> next = made(2 * count, of(r));
        compose(expected_.data(), next.data(), &pairs, nullptr);
        expected_ = next;
      }
      if (operation_ == 16) {
        PLEAT_FORMS(Allreduce, allreduce, in_.data(), out_.data(), n, type, op);
      } else {
        if (!is_root) expected_.assign(2 * count, 0);
        PLEAT_FORMS(Reduce, reduce, in_.data(), out_.data(), n, type, op, root);
      }
    }
  }
  before_ = out_;
}

}  // namespace pleat::testing_ranks
