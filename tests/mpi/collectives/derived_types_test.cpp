// SPDX-License-Identifier: Apache-2.0
// Random datatypes in all calls: nested, resized, with negative bounds and extents, whose elements
// interleave or, where they are sent, overlap. All ranks draw the same; where an int lies follows
// from the standard and the extents that the MPI gives.
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "int_types.hpp"
#include "ranks.hpp"
#include "seed.hpp"

namespace pleat::testing_ranks {
namespace derived_types_test {

const int_type* combined = nullptr;  // by the operator

void add(void* left, void* right, int* count, MPI_Datatype*) {
  for (std::ptrdiff_t element = 0; element < *count; ++element) {
    for (const std::ptrdiff_t place : combined->places) {
      const std::ptrdiff_t at = element * combined->extent + place;
      int a = 0, b = 0;
      std::memcpy(&a, static_cast<char*>(left) + at, sizeof a);
      std::memcpy(&b, static_cast<char*>(right) + at, sizeof b);
      b += a;
      std::memcpy(static_cast<char*>(right) + at, &b, sizeof b);
    }
  }
}

class random_types {
 public:
  explicit random_types(std::uint64_t seed) : draw_(seed) {}
  random_types(const random_types&) = delete;
  random_types& operator=(const random_types&) = delete;
  ~random_types() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }

  int between(int first, int last) {
    return first + static_cast<int>(draw_() % static_cast<std::uint64_t>(last - first + 1));
  }

  /// Makes a type of some ints an element; the elements of `count` have none in common, if asked
  /// for. Its extent is not 0: MPICH 4.0.2 packs such elements wrongly, or writes elsewhere.
  int_type type(int count, bool disjoint) {
    for (;;) {
      int_type one = nested(between(0, 3));
      if (between(0, 2) == 0) one = column(one, count);
      if (one.extent == 0 || one.ints() > 24 || (disjoint && !is_disjoint(one, count))) continue;
      MPI_Type_commit(&one.type);
      return one;
    }
  }

 private:
  static bool is_disjoint(const int_type& type, int count) {
    std::set<std::ptrdiff_t> places;
    for (int i = 0; i < count; ++i) {
      for (const std::ptrdiff_t place : type.places) places.insert(place + i * type.extent);
    }
    return places.size() == type.ints() * static_cast<std::size_t>(count);
  }

  int_type finished(std::string name, MPI_Datatype type, std::vector<std::ptrdiff_t> places) {
    made_.push_back(type);
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    return {std::move(name), type, std::move(places), extent};
  }
  static void append(std::vector<std::ptrdiff_t>& to, const int_type& type, std::ptrdiff_t at) {
    for (const std::ptrdiff_t place : type.places) to.push_back(at + place);
  }

  /// Elements that interleave: `count` of them are the columns of a matrix.
  int_type column(const int_type& of, int count) {
    const int rows = between(2, 4);
    std::vector<std::ptrdiff_t> places;
    for (int row = 0; row < rows; ++row) append(places, of, row * count * of.extent);
    MPI_Datatype apart = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(rows, 1, count * of.extent, of.type, &apart);
    MPI_Type_create_resized(apart, 0, of.extent, &type);
    MPI_Type_free(&apart);
    return finished("column of " + of.name, type, std::move(places));
  }

  int_type nested(int depth) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::vector<std::ptrdiff_t> places;
    if (depth == 0) {
      MPI_Type_dup(MPI_INT, &type);
      return finished("int", type, {0});
    }
    const int_type of = nested(depth - 1);
    const int kind = between(0, 4);
    if (kind == 0) {
      const int blocks = between(1, 3), length = between(1, 2), stride = between(-3, 4);
      MPI_Type_vector(blocks, length, stride, of.type, &type);
      for (int b = 0; b < blocks; ++b) {
        for (int i = 0; i < length; ++i) append(places, of, (b * stride + i) * of.extent);
      }
      return finished("vector of " + of.name, type, std::move(places));
    }
    if (kind == 1) {
      const int lengths[] = {between(1, 2), between(0, 2)};
      const MPI_Aint at[] = {4 * between(-6, 6), 4 * between(-6, 6)};
      MPI_Type_create_hindexed(2, lengths, at, of.type, &type);
      for (int b = 0; b < 2; ++b) {
        for (int i = 0; i < lengths[b]; ++i) append(places, of, at[b] + i * of.extent);
      }
      return finished("hindexed " + of.name, type, std::move(places));
    }
    if (kind == 2) {
      const int_type other = nested(between(0, depth - 1));
      const int lengths[] = {1, 1};
      const MPI_Aint at[] = {4 * between(-6, 6), 4 * between(-6, 6)};
      const MPI_Datatype types[] = {of.type, other.type};
      MPI_Type_create_struct(2, lengths, at, types, &type);
      append(places, of, at[0]);
      append(places, other, at[1]);
      return finished("struct of " + of.name + ", " + other.name, type, std::move(places));
    }
    if (kind == 3) {
      const int sizes[] = {between(1, 3), between(2, 4)};
      const int part[] = {between(1, sizes[0]), between(1, 2)};
      const int first[] = {between(0, sizes[0] - part[0]), between(0, sizes[1] - part[1])};
      MPI_Type_create_subarray(2, sizes, part, first, MPI_ORDER_C, of.type, &type);
      for (int row = first[0]; row < first[0] + part[0]; ++row) {
        for (int i = first[1]; i < first[1] + part[1]; ++i) {
          append(places, of, (row * sizes[1] + i) * of.extent);
        }
      }
      return finished("subarray of " + of.name, type, std::move(places));
    }
    MPI_Type_create_resized(of.type, 4 * between(-4, 4), 4 * between(-5, 9), &type);
    return finished("resized " + of.name, type, of.places);
  }

  std::mt19937_64 draw_;
  std::vector<MPI_Datatype> made_;
};

/// A rank's elements; the ints in the order of the map.
typed_buffer made(const int_type& type, std::size_t count, int rank) {
  typed_buffer buffer(type, count);
  buffer.fill([&](std::size_t i) { return number(rank, i); });
  return buffer;
}

void expect_moved(MPI_Comm comm, random_types& draw) {
  const int p = size_of(comm), rank = rank_in(comm);
  const auto each = static_cast<std::size_t>(draw.between(1, 12));
  const int_type from = draw.type(static_cast<int>(each), false);
  const std::size_t ints = each * from.ints();
  int_type to = draw.type(static_cast<int>(ints) * p, true);
  while (ints % to.ints() != 0) to = draw.type(static_cast<int>(ints) * p, true);
  const std::size_t part = ints / to.ints();
  const std::string names = from.name + " to " + to.name;

  const int root = draw.between(0, 1000) % p;
  typed_buffer sent = made(from, each, root);
  typed_buffer taken(to, part);
  EXPECT_EQ(rank == root ? MPI_Bcast(sent.get(), sent.count(), from.type, root, comm)
                         : MPI_Bcast(taken.get(), taken.count(), to.type, root, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(rank == root || taken.is([&](std::size_t i) { return sent.at(i); })) << names;

  std::vector<typed_buffer> of_ranks;
  for (int r = 0; r < p; ++r) of_ranks.push_back(made(from, each, r));
  typed_buffer& mine = of_ranks[static_cast<std::size_t>(rank)];
  const auto gathered = [&](std::size_t i) { return of_ranks[i / ints].at(i % ints); };
  typed_buffer all(to, part * static_cast<std::size_t>(p));
  const bool irregular = draw.between(0, 1) == 1;  // in its words
  const std::vector<int> counts(static_cast<std::size_t>(p), static_cast<int>(part));
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  EXPECT_EQ(irregular ? MPI_Allgatherv(mine.get(), mine.count(), from.type, all.get(),
                                       counts.data(), places.data(), to.type, comm)
                      : MPI_Allgather(mine.get(), mine.count(), from.type, all.get(), counts[0],
                                      to.type, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(all.is(gathered)) << names;
  all = typed_buffer(to, part * static_cast<std::size_t>(p));
  EXPECT_EQ(MPI_Gatherv(mine.get(), mine.count(), from.type, all.get(), counts.data(),
                        places.data(), to.type, root, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(rank != root || all.is(gathered)) << names;

  std::vector<typed_buffer> for_all;
  for (int r = 0; r < p; ++r) for_all.push_back(made(from, each * static_cast<std::size_t>(p), r));
  typed_buffer& given = for_all[static_cast<std::size_t>(rank)];
  all = typed_buffer(to, part * static_cast<std::size_t>(p));
  std::vector<int> from_counts(counts.size(), static_cast<int>(each));
  std::vector<int> from_places(counts.size());
  std::exclusive_scan(from_counts.begin(), from_counts.end(), from_places.begin(), 0);
  EXPECT_EQ(irregular
                ? MPI_Alltoallv(given.get(), from_counts.data(), from_places.data(), from.type,
                                all.get(), counts.data(), places.data(), to.type, comm)
                : MPI_Alltoall(given.get(), from_counts[0], from.type, all.get(), counts[0],
                               to.type, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(all.is([&](std::size_t i) {
    return for_all[i / ints].at(static_cast<std::size_t>(rank) * ints + i % ints);
  })) << names;

  typed_buffer& shared = for_all[static_cast<std::size_t>(root)];
  taken = typed_buffer(to, part);
  EXPECT_EQ(MPI_Scatterv(shared.get(), from_counts.data(), from_places.data(), from.type,
                         taken.get(), taken.count(), to.type, root, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(taken.is([&](std::size_t i) {
    return shared.at(static_cast<std::size_t>(rank) * ints + i);
  })) << names;
}

void expect_combined(MPI_Comm comm, random_types& draw, MPI_Op op) {
  const int p = size_of(comm), rank = rank_in(comm), each = draw.between(1, 12);
  const int_type type = draw.type(each * p, true);
  combined = &type;
  const auto total = static_cast<std::size_t>(each * p);
  const auto sum_to = [](int ranks) {
    return [ranks](std::size_t i) {
      int result = 0;
      for (int r = 0; r < ranks; ++r) result += number(r, i);
      return result;
    };
  };
  const auto sum = sum_to(p);
  const auto part = [&](std::size_t i) {
    return sum(static_cast<std::size_t>(rank * each) * type.ints() + i);
  };
  const bool in_place = draw.between(0, 1) == 1;
  const int root = draw.between(0, 1000) % p;
  typed_buffer in = made(type, total, rank);
  typed_buffer out = in_place ? in : typed_buffer(type, total);
  const bool at_root = rank == root;
  EXPECT_EQ(MPI_Reduce(in_place && at_root ? MPI_IN_PLACE : in.get(), at_root ? out.get() : nullptr,
                       in.count(), type.type, op, root, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(!at_root || out.is(sum)) << "reduce, " << type.name;

  out = in_place ? in : typed_buffer(type, total);
  EXPECT_EQ(
      MPI_Allreduce(in_place ? MPI_IN_PLACE : in.get(), out.get(), in.count(), type.type, op, comm),
      MPI_SUCCESS);
  EXPECT_TRUE(out.is(sum)) << "allreduce, " << type.name;

  for (const bool inclusive : {false, true}) {
    out = in_place ? in : typed_buffer(type, total);
    EXPECT_EQ((inclusive ? MPI_Scan : MPI_Exscan)(in_place ? MPI_IN_PLACE : in.get(), out.get(),
                                                  in.count(), type.type, op, comm),
              MPI_SUCCESS);
    if (inclusive || rank > 0) {
      EXPECT_TRUE(out.is(sum_to(inclusive ? rank + 1 : rank))) << "scan, " << type.name;
    }
  }

  typed_buffer mine(type, static_cast<std::size_t>(each));
  const std::vector<int> counts(static_cast<std::size_t>(p), each);
  EXPECT_EQ(MPI_Reduce_scatter(in.get(), mine.get(), counts.data(), type.type, op, comm),
            MPI_SUCCESS);
  EXPECT_TRUE(mine.is(part)) << "reduce_scatter, " << type.name;
  mine = typed_buffer(type, static_cast<std::size_t>(each));
  EXPECT_EQ(MPI_Reduce_scatter_block(in.get(), mine.get(), each, type.type, op, comm), MPI_SUCCESS);
  EXPECT_TRUE(mine.is(part)) << "reduce_scatter_block, " << type.name;
  EXPECT_TRUE(in.is([&](std::size_t i) { return number(rank, i); })) << type.name;
}

TEST(derived_types, of_any_layout_move_and_combine) {
  std::uint64_t first = 0;
  if (rank_in(MPI_COMM_WORLD) == 0) first = ::seed();
  PMPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add, 1, &op);
  each_size({2, 3, 4, 7}, [&](MPI_Comm comm) {
    random_types draw(first + static_cast<std::uint64_t>(size_of(comm)));
    for (int i = 0; i < 20; ++i) {
      expect_moved(comm, draw);
      expect_combined(comm, draw, op);
    }
  });
  MPI_Op_free(&op);
}

}  // namespace derived_types_test
}  // namespace pleat::testing_ranks
