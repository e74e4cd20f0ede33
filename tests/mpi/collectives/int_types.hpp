// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pleat::testing_ranks {

/// A datatype of ints, with what the standard says where they lie: the oracle of layouts.
struct int_type {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<std::ptrdiff_t> places;  ///< of an element's ints in the order of its map, in bytes
  std::ptrdiff_t extent = 0;

  [[nodiscard]] std::size_t ints() const { return places.size(); }
};

class int_types_end : public testing::Environment {
 public:
  explicit int_types_end(std::vector<int_type>& types) : types_(types) {}
  void TearDown() override {
    for (int_type& one : types_) MPI_Type_free(&one.type);
  }

 private:
  std::vector<int_type>& types_;
};

/// Made once: with and without holes, in and out of order, backwards, with origins before and after
/// the data.
[[nodiscard]] inline const std::vector<int_type>& int_types() {
  static std::vector<int_type> types = [] {
    std::vector<int_type> made;
    const auto add = [&](const char* name, MPI_Datatype type, std::vector<std::ptrdiff_t> places,
                         std::ptrdiff_t extent) {
      MPI_Type_commit(&type);
      made.push_back({name, type, std::move(places), extent});
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(MPI_INT, &type);
    add("int", type, {0}, 4);
    MPI_Datatype three = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &three);
    add("three ints", three, {0, 4, 8}, 12);
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    add("every other int", type, {0, 8}, 12);
    const int ones[] = {1, 1};
    const MPI_Aint swapped[] = {4, 0};
    MPI_Type_create_hindexed(2, ones, swapped, MPI_INT, &type);
    add("two ints, the second first", type, {4, 0}, 8);
    MPI_Type_create_resized(MPI_INT, -4, 12, &type);
    add("an int that begins before itself", type, {0}, 12);
    const int two[] = {1, 2};
    const MPI_Aint later[] = {16, 4};
    MPI_Type_create_hindexed(2, two, later, MPI_INT, &type);
    add("ints after a hole", type, {16, 4, 8}, 16);
    MPI_Datatype again = MPI_DATATYPE_NULL;
    MPI_Type_dup(three, &again);
    add("three ints again", again, {0, 4, 8}, 12);
    MPI_Datatype back = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, -4, &back);
    MPI_Datatype backwards = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, back, &backwards);
    MPI_Type_create_resized(backwards, -4, 8, &type);
    add("two ints, backwards", type, {0, -4}, 8);
    MPI_Type_free(&backwards);
    MPI_Type_free(&back);
    return made;
  }();
  static const testing::Environment* const end =
      testing::AddGlobalTestEnvironment(new int_types_end(types));
  static_cast<void>(end);
  return types;
}

/// Memory for `count` elements of a type, in which holes show when somebody writes to them.
class typed_buffer {
 public:
  typed_buffer(const int_type& type, std::size_t count) : type_(&type), count_(count) {
    const auto [least, greatest] = std::ranges::minmax(type.places);
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent;
    origin_ = margin - (std::min<std::ptrdiff_t>(last, 0) + least);
    bytes_.resize(static_cast<std::size_t>(2 * margin + std::abs(last) + greatest - least), hole);
  }

  [[nodiscard]] void* get() { return bytes_.data() + origin_; }
  /// All memory, and the place of the first element in it.
  [[nodiscard]] std::vector<unsigned char>& bytes() { return bytes_; }
  [[nodiscard]] int origin() const { return static_cast<int>(origin_); }
  [[nodiscard]] int count() const { return static_cast<int>(count_); }
  [[nodiscard]] std::size_t ints() const { return count_ * type_->ints(); }

  void set(std::size_t i, int value) { std::memcpy(place(i), &value, sizeof value); }
  [[nodiscard]] int at(std::size_t i) const {
    int value = 0;
    std::memcpy(&value, const_cast<typed_buffer*>(this)->place(i), sizeof value);
    return value;
  }
  template <class Value> void fill(const Value& value) {
    for (std::size_t i = 0; i < ints(); ++i) set(i, value(i));
  }
  /// Tells whether each int has its value, and nothing else is written.
  template <class Value> [[nodiscard]] bool is(const Value& value) const {
    typed_buffer expected(*type_, count_);
    expected.fill(value);
    return expected.bytes_ == bytes_;
  }

 private:
  static constexpr std::ptrdiff_t margin = 64;
  static constexpr unsigned char hole = 0xA5;

  [[nodiscard]] unsigned char* place(std::size_t i) {
    return bytes_.data() + origin_ +
           static_cast<std::ptrdiff_t>(i / type_->ints()) * type_->extent +
           type_->places[i % type_->ints()];
  }

  const int_type* type_;
  std::size_t count_;
  std::ptrdiff_t origin_ = 0;  // of the first element
  std::vector<unsigned char> bytes_;
};

}  // namespace pleat::testing_ranks
