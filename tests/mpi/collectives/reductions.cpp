// SPDX-License-Identifier: Apache-2.0
#include "reductions.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace pleat::testing_ranks {

namespace {

template <class Element> Element load(const void* from) {
  Element value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Applies combine(left, right) → value to elements of a struct, as an MPI_User_function does.
template <class Element, auto Combine> void combine_one(const void* left, void* right) {
  const Element value = Combine(load<Element>(left), load<Element>(right));
  std::memcpy(right, &value, sizeof value);
}
template <class Element, auto Combine>
void combine_many(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    combine_one<Element, Combine>(static_cast<Element*>(left) + i,
                                  static_cast<Element*>(right) + i);
  }
}
template <class Element, auto Make> void put(void* element, int rank, std::size_t i) {
  const Element value = Make(rank, i);
  std::memcpy(element, &value, sizeof value);
}

int small(int rank, std::size_t i) { return number(rank, i) % 1000; }
int add(int a, int b) { return a + b; }
std::uint64_t bits(int rank, std::size_t i) {
  return static_cast<std::uint64_t>(number(rank, i)) << 20 | static_cast<std::uint64_t>(i);
}
std::uint64_t exclusive_or(std::uint64_t a, std::uint64_t b) { return a ^ b; }
double real(int rank, std::size_t i) { return number(rank, i); }
double larger(double a, double b) { return std::max(a, b); }

/// Value as MPI_DOUBLE_INT has it: 12 bytes of data in 16.
struct valued {
  double value;
  int place;
};
struct valued_data {
  unsigned char bytes[12];
};
valued_data place_of(int rank, std::size_t i) {
  const valued all{static_cast<double>(number(rank, i) % 7), rank};
  valued_data data;
  std::memcpy(data.bytes, &all, sizeof data.bytes);
  return data;
}
valued_data largest_and_first(valued_data a, valued_data b) {
  valued left{};
  valued right{};
  std::memcpy(&left, a.bytes, sizeof a.bytes);
  std::memcpy(&right, b.bytes, sizeof b.bytes);
  if (left.value != right.value) return left.value > right.value ? a : b;
  return left.place < right.place ? a : b;
}

/// x → a · x + b modulo a prime: to perform one after the other does not commute.
struct affine {
  std::uint32_t a, b;
};
constexpr std::uint64_t prime = 65521;
affine some_affine(int rank, std::size_t i) {
  return {static_cast<std::uint32_t>(number(rank, i) + 1),
          static_cast<std::uint32_t>(number(rank, i + 7))};
}
affine one_after_other(affine first, affine second) {
  return {static_cast<std::uint32_t>(std::uint64_t{first.a} * second.a % prime),
          static_cast<std::uint32_t>((std::uint64_t{first.b} * second.a + second.b) % prime)};
}
std::uint32_t factor(int rank, std::size_t i) {
  return static_cast<std::uint32_t>(number(rank, i) + 1);
}
std::uint32_t times(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b % prime);
}

/// Two ints with a hole between them, which the operator must not touch.
struct holed {
  std::int32_t first;
  unsigned char hole[4];
  std::int32_t second;
};
template <class Make> void put_holed(void* element, const Make& values) {
  std::memcpy(element, &values[0], 4);
  std::memcpy(static_cast<unsigned char*>(element) + 8, &values[1], 4);
}
void put_both(void* element, int rank, std::size_t i) {
  put_holed(element, std::vector<std::int32_t>{small(rank, i), -small(rank, i + 3)});
}
void add_both(const void* left, void* right) {
  const auto a = load<holed>(left);
  const auto b = load<holed>(right);
  put_holed(right, std::vector<std::int32_t>{a.first + b.first, std::min(a.second, b.second)});
}
void add_all_both(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    add_both(static_cast<holed*>(left) + i, static_cast<holed*>(right) + i);
  }
}

class reductions_end : public testing::Environment {
 public:
  explicit reductions_end(std::vector<reduction>& made) : made_(made) {}
  void TearDown() override {
    for (reduction& one : made_) {
      if (!one.name.starts_with("MPI")) MPI_Op_free(&one.op);
      int n = 0, combiner = 0;
      MPI_Type_get_envelope(one.type, &n, &n, &n, &combiner);
      if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&one.type);
    }
  }

 private:
  std::vector<reduction>& made_;
};

template <class Element, auto Make, auto Combine>
reduction plain(const char* name, MPI_Datatype type, MPI_Op op) {
  return {name, type, op, sizeof(Element), put<Element, Make>, combine_one<Element, Combine>};
}

std::vector<reduction> make() {
  std::vector<reduction> made;
  made.push_back(plain<int, small, add>("MPI_SUM of int", MPI_INT, MPI_SUM));
  made.back().light = true;
  made.push_back(
      plain<std::uint64_t, bits, exclusive_or>("MPI_BXOR of uint64", MPI_UINT64_T, MPI_BXOR));
  made.push_back(plain<double, real, larger>("MPI_MAX of double", MPI_DOUBLE, MPI_MAX));
  made.push_back(plain<valued_data, place_of, largest_and_first>("MPI_MAXLOC of double and int",
                                                                 MPI_DOUBLE_INT, MPI_MAXLOC));
  made.back().extent = sizeof(valued);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(combine_many<std::uint32_t, times>, 1, &op);
  made.push_back(plain<std::uint32_t, factor, times>("products modulo a prime", MPI_UINT32_T, op));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT32_T, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_all_both, 1, &op);
  made.push_back(
      {"sum and minimum with a hole between", type, op, sizeof(holed), put_both, add_both});
  MPI_Type_contiguous(2, MPI_UINT32_T, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(combine_many<affine, one_after_other>, 0, &op);
  made.push_back(plain<affine, some_affine, one_after_other>("maps that do not commute", type, op));
  return made;
}

}  // namespace

const std::vector<reduction>& reductions() {
  static std::vector<reduction> made = make();
  static const testing::Environment* const end =
      testing::AddGlobalTestEnvironment(new reductions_end(made));
  static_cast<void>(end);
  return made;
}

bool one_rank_s::is_sum(std::size_t before, std::size_t count, int p) const {
  std::vector<unsigned char> sum(what_->extent), next(what_->extent);
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::fill(sum, 0xA5);
    what_->put(sum.data(), 0, before + i);
    for (int rank = 1; rank < p; ++rank) {
      std::ranges::fill(next, 0xA5);
      what_->put(next.data(), rank, before + i);
      what_->combine(sum.data(), next.data());
      sum.swap(next);
    }
    if (!std::equal(sum.begin(), sum.end(),
                    bytes_.begin() + static_cast<std::ptrdiff_t>(i * what_->extent))) {
      return false;
    }
  }
  return true;
}

}  // namespace pleat::testing_ranks
