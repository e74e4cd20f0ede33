// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <pleat/runtime/machine_options.hpp>

namespace pleat {

void set_place(machine_options& of, std::string_view notation) {
  if (notation == "unpinned" || notation == "unpinned/pu") {
    of.place = placement_request{.every_pu = notation != "unpinned"};
    of.workers = workers::free;
  } else {
    of.place = parse_placement(notation);
  }
}

std::string place_notation(const machine_options& of) {
  const placement_request place = of.place.value_or(placement_request{});
  if (of.workers == workers::free) return place.every_pu ? "unpinned/pu" : "unpinned";
  return to_string(place);
}

}  // namespace pleat
