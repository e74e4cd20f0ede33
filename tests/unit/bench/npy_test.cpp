// SPDX-License-Identifier: Apache-2.0
#include "tool/npy.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "tool/output_file.hpp"
#include "unit/temporary_folder.hpp"

namespace npy_test {

namespace fs = std::filesystem;
using namespace pleat::bench;

class npy : public testing::Test {
 protected:
  fs::path write(const std::string& bytes) {
    const auto path = folder / "array.npy";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  // What reading that file complains of, with the folder left out.
  std::string complaint(const std::string& bytes) {
    const auto path = write(bytes);
    try {
      static_cast<void>(read_npy(path));
    } catch (const pleat::error& failure) {
      std::string said = failure.what();
      EXPECT_EQ(said.find('\n'), std::string::npos) << "more than one line: " << said;
      EXPECT_NE(said.find(path.string()), std::string::npos) << "does not name the file: " << said;
      return said;
    }
    return "accepted";
  }

  const temporary_folder own;
  const fs::path folder = own.path;
};

std::string header(const std::string& dictionary, int major = 1) {
  std::string text = dictionary + "\n", result("\x93NUMPY", 6);
  result += static_cast<char>(major);
  result += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    result += static_cast<char>(text.size() >> (8 * i) & 0xFFU);
  }
  return result + text;
}

std::string header_of(const std::string& descr, const std::string& shape,
                      const std::string& order = "False") {
  return header("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape +
                ", }");
}

template <class T> std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST_F(npy, reads_all_three_formats) {
  const std::vector<std::int32_t> values{3, -1, 2};
  const std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
  for (int major : {1, 2, 3}) {
    const auto array = read_npy(write(header(dictionary, major) + bytes_of(values)));
    EXPECT_EQ(array.elements, 3U);
    EXPECT_EQ(array.type, (number_type{number_kind::signed_integer, 4}));
    const auto read = array.memory.as<std::int32_t>(3);
    EXPECT_EQ(std::vector<std::int32_t>(read.begin(), read.end()), values);
  }
}

TEST_F(npy, knows_every_numeric_type) {
  const std::vector<std::pair<std::string, number_type>> types{
      {"|b1", {number_kind::boolean, 1}},          {"|i1", {number_kind::signed_integer, 1}},
      {"<i2", {number_kind::signed_integer, 2}},   {"<i4", {number_kind::signed_integer, 4}},
      {"<i8", {number_kind::signed_integer, 8}},   {"|u1", {number_kind::unsigned_integer, 1}},
      {"<u2", {number_kind::unsigned_integer, 2}}, {"<u4", {number_kind::unsigned_integer, 4}},
      {"<u8", {number_kind::unsigned_integer, 8}}, {"<f2", {number_kind::floating, 2}},
      {"<f4", {number_kind::floating, 4}},         {"<f8", {number_kind::floating, 8}},
      {"<f16", {number_kind::floating, 16}},       {"<c8", {number_kind::complex, 8}},
      {"<c16", {number_kind::complex, 16}},        {"<c32", {number_kind::complex, 32}},
      {"=f8", {number_kind::floating, 8}},         {">u1", {number_kind::unsigned_integer, 1}}};
  for (const auto& [descr, type] : types) {
    const auto array =
        read_npy(write(header_of("'" + descr + "'", "(2,)") + std::string(2 * type.bytes, '\1')));
    EXPECT_EQ(array.type, type) << descr;
    EXPECT_EQ(array.descr, descr);
  }
}

TEST_F(npy, reads_arrays_without_elements) {
  const auto array = read_npy(write(header_of("'<f8'", "(0,)")));
  EXPECT_EQ(array.elements, 0U);
  EXPECT_TRUE(array.bytes().empty());
}

TEST_F(npy, accepts_what_other_writers_do_differently) {
  const std::string one = bytes_of<double>({1.0});
  for (const std::string dictionary :
       {"{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (1,)}",
        "{'shape':(1,),'fortran_order':True,'descr':'<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1L,), }   "}) {
    EXPECT_EQ(read_npy(write(header(dictionary) + one)).elements, 1U) << dictionary;
  }
}

TEST_F(npy, writes_what_it_reads) {
  const std::vector<double> values{1.5, -2.5, 3.25};
  auto array = read_npy(write(header_of("'<f8'", "(3,)") + bytes_of(values)));
  const auto copy = folder / "copy.npy";
  output_file file(copy);
  write_npy(file, array);
  file.commit();
  const auto again = read_npy(copy);
  EXPECT_EQ(again.descr, "<f8");
  EXPECT_EQ(again.elements, 3U);
  EXPECT_EQ(std::memcmp(again.bytes().data(), array.bytes().data(), 24), 0);
  EXPECT_EQ(npy_preamble("<f8", {3}).size() % 64, 0U);
  EXPECT_EQ(npy_preamble("<c16", {123456789012345678}).size() % 64, 0U);
}

TEST_F(npy, says_what_is_wrong_and_which_call_mends_it) {
  struct {
    std::string descr, shape, order, says, advises;
  } const cases[]{
      {"[('a', '<i8'), ('b', '<f4', (2,))]", "(1,)", "False", "records", "['a']"},
      {"'|O'", "(1,)", "False", "Python objects", "allow_pickle=True"},
      {"'<U5'", "(1,)", "False", "text", "np.unique"},
      {"'|S3'", "(1,)", "False", "text", "np.unique"},
      {"'<M8[ns]'", "(1,)", "False", "dates", ".view('i8')"},
      {"'|V4'", "(1,)", "False", "'|V4'", "astype"},
      {"'<f3'", "(1,)", "False", "'<f3'", "astype"},
      {"'<i16'", "(1,)", "False", "'<i16'", "astype"},
      {"'<f8'", "()", "False", "single number", "np.atleast_1d"},
      {"'<f8'", "(2, 3)", "False", "(2, 3)", ".ravel()"},
      {"'<f8'", "(2, 3)", "True", "Fortran order", ".ravel(order='K')"},
  };
  for (const auto& one : cases) {
    const auto said = complaint(header_of(one.descr, one.shape, one.order) + std::string(64, '\0'));
    EXPECT_NE(said.find(one.says), std::string::npos) << one.descr << ": " << said;
    EXPECT_NE(said.find(one.advises), std::string::npos) << one.descr << ": " << said;
  }
}

TEST_F(npy, refuses_what_is_no_npy_file) {
  for (const std::string& bytes :
       {std::string(), std::string("\x93NUM"), std::string("hello world, hello"),
        std::string("PK\x03\x04 a zip file, as np.savez writes")}) {
    EXPECT_NE(complaint(bytes).find("not a .npy file"), std::string::npos);
  }
  EXPECT_NE(complaint(std::string("\x93NUMPY\x09\x00rest of it", 18)).find("format 9.0"),
            std::string::npos);
  EXPECT_NE(complaint(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)).find("damaged"),
            std::string::npos);
}

TEST_F(npy, names_a_file_that_cannot_be_read) {
  EXPECT_THROW(static_cast<void>(read_npy(folder / "missing.npy")), pleat::error);
  EXPECT_THROW(static_cast<void>(read_npy(folder)), pleat::error);
}

}  // namespace npy_test
