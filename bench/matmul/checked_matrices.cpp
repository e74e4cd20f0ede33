// SPDX-License-Identifier: Apache-2.0
#include "checked_matrices.hpp"

#include <pleat/runtime/error.hpp>

#include "tool/conversion.hpp"
#include "tool/names.hpp"

namespace pleat::bench {

std::string semiring_names() { return names_of(arrays::semiring_names); }

semiring_kind parse_semiring(const std::string& name) {
  return static_cast<semiring_kind>(place_of(name, "--semiring", arrays::semiring_names));
}

void check_matrices(const std::string& semiring, const npy_contents& a, const std::string& name_a,
                    const npy_contents& b, const std::string& name_b) {
  const semiring_kind kind = parse_semiring(semiring);
  if (a.type != b.type) {
    const std::string type = descr_of(common_type(a.type, b.type));
    const auto call = [&](const npy_contents& array, const std::string& name) {
      return array.type == common_type(a.type, b.type)
                 ? std::string()
                 : numpy_save(name, numpy_load(name) + ".astype('" + type + "')");
    };
    const std::string first = call(a, name_a);
    const std::string second = call(b, name_b);
    throw error(name_a + " holds '" + a.descr + "' and " + name_b + " '" + b.descr +
                "'; make them one type with " + first +
                (first.empty() || second.empty() ? "" : "; ") + second);
  }
  if (!arrays::has_products(kind, a.type)) {
    const bool words = kind == semiring_kind::or_and;
    const bool complex = a.type.kind == number_kind::complex && kind == semiring_kind::plus_times;
    const std::string type = words ? "bool" : complex ? "c16" : "f8";
    const auto call = [&](const std::string& name) {
      return numpy_save(name, numpy_load(name) + ".astype('" + type + "')");
    };
    throw error("there are no products of '" + a.descr + "' over " + semiring + "; convert " +
                (name_a == name_b ? "it with " + call(name_a)
                                  : "both with " + call(name_a) + "; " + call(name_b)));
  }
  if (a.shape[1] != b.shape[0])
    throw error(name_a + " has shape " + shape_text(a.shape) + " and " + name_b + " " +
                shape_text(b.shape) + ": the first needs as many columns as the second has rows");
}

}  // namespace pleat::bench
