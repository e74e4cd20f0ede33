// SPDX-License-Identifier: Apache-2.0
#include "data/operators.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "errors/failure.hpp"

namespace pleat::preloaded {

namespace {

/// The types of MPI 3.1, section 5.9.2, by what they are. An MPI without Fortran has some of them
/// as MPI_DATATYPE_NULL, which is never asked for.
template <std::size_t N> bool among(const std::array<MPI_Datatype, N>& types, MPI_Datatype type) {
  return std::ranges::find(types, type) != types.end();
}

bool integer(MPI_Datatype type) {
  return among(
      std::array<MPI_Datatype, 24>{
          MPI_INT,         MPI_LONG,          MPI_SHORT,         MPI_UNSIGNED_SHORT,
          MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG,
          MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,        MPI_INT16_T,
          MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,       MPI_UINT16_T,
          MPI_UINT32_T,    MPI_UINT64_T,      MPI_INTEGER,       MPI_AINT,
          MPI_OFFSET,      MPI_COUNT,         MPI_INTEGER4,      MPI_INTEGER8},
      type);
}
bool floating(MPI_Datatype type) {
  return among(std::array<MPI_Datatype, 7>{MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL,
                                           MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8},
               type);
}
bool complex_number(MPI_Datatype type) {
  return among(std::array<MPI_Datatype, 5>{MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX,
                                           MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX},
               type);
}
bool truth(MPI_Datatype type) {
  return among(std::array<MPI_Datatype, 2>{MPI_LOGICAL, MPI_C_BOOL}, type);
}
bool pair(MPI_Datatype type) {
  return among(std::array<MPI_Datatype, 9>{MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT,
                                           MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL,
                                           MPI_2DOUBLE_PRECISION, MPI_2INTEGER},
               type);
}

}  // namespace

bool applies(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) return false;
  if (op == MPI_MAX || op == MPI_MIN) return integer(type) || floating(type);
  if (op == MPI_SUM || op == MPI_PROD) {
    return integer(type) || floating(type) || complex_number(type);
  }
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return integer(type) || truth(type);
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) {
    return integer(type) || type == MPI_BYTE;
  }
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return pair(type);
  return true;
}

bool commutes(MPI_Op op) {
  int commutative = 0;
  check(PMPI_Op_commutative(op, &commutative));
  return commutative != 0;
}

}  // namespace pleat::preloaded
