// SPDX-License-Identifier: Apache-2.0
//
// Which kernels the library uses on this processor, and why.
#include <iostream>

#include <pleat/oblivious/kernels.hpp>

int main() {
  bool vectors = false;
  for (const pleat::kernel_choice& choice : pleat::kernel_choices()) {
    std::cout << choice.work << ": " << choice.candidates.at(choice.chosen).name << " ("
              << to_string(choice.why) << ")\n";
    vectors = vectors || choice.work == "vectors";
  }
  return vectors ? 0 : 1;
}
