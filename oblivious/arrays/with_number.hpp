// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>

#include "typed_array.hpp"

namespace pleat::arrays {

/// The bits of a float16, for which C++ has no type.
struct half {
  std::uint16_t bits;
};

/// f.template operator()<T>() for the type of an array's numbers.
template <class F> auto with_number(const number_type& type, const F& f) {
  const auto integer = [&]<class A, class B, class C, class D>() {
    if (type.bytes == 1) return f.template operator()<A>();
    if (type.bytes == 2) return f.template operator()<B>();
    if (type.bytes == 4) return f.template operator()<C>();
    return f.template operator()<D>();
  };
  switch (type.kind) {
    case number_kind::boolean:
      return f.template operator()<bool>();
    case number_kind::signed_integer:
      return integer.template operator()<std::int8_t, std::int16_t, std::int32_t, std::int64_t>();
    case number_kind::unsigned_integer:
      return integer
          .template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
    case number_kind::floating:
      if (type.bytes == 2) return f.template operator()<half>();
      if (type.bytes == 4) return f.template operator()<float>();
      if (type.bytes == 8) return f.template operator()<double>();
      return f.template operator()<long double>();
    case number_kind::complex:
      break;
  }
  if (type.bytes == 8) return f.template operator()<std::complex<float>>();
  if (type.bytes == 16) return f.template operator()<std::complex<double>>();
  return f.template operator()<std::complex<long double>>();
}

}  // namespace pleat::arrays
