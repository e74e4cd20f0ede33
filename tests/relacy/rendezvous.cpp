// SPDX-License-Identifier: Apache-2.0
// The rendezvous of a collective operation. Of a rank's endpoint it needs only whom to wake.
#include "engines/rendezvous.cpp"

#include "base/abi.cpp"

namespace pleat::detail {

void* take_memory(std::size_t bytes, std::size_t alignment) {
  return std::aligned_alloc(alignment, bytes);
}
void give_back_memory(void* memory) noexcept { std::free(memory); }
void vp_access::notify(vp&, rank_range) noexcept {}

}  // namespace pleat::detail

namespace {

using namespace pleat::detail;

/// Ranks show a number at each of some rendezvous and read those of all.
template <unsigned ranks, unsigned epochs> struct ranks_meet : searched::test {
  void thread(unsigned self) override {
    endpoint& on = reinterpret_cast<endpoint&>(memory);
    for (unsigned epoch = 1; epoch <= epochs; ++epoch) {
      std::memcpy(here.place(self, epoch), &epoch, sizeof epoch);
      rendezvous::announcement& ours = here.line(self, epoch);
      ours.stamp = epoch;
      ours.bytes = sizeof epoch;
      ours.rank = self;
      static_cast<void>(arrive(on, here, self, true));
      while (!here.completed(self, epoch, true)) searched::give_way();
      const shown all = here.all(epoch);
      for (unsigned rank = 0; rank < ranks; ++rank) {
        unsigned seen = 0;
        std::memcpy(&seen, all.copy_of(rank), sizeof seen);
        searched::require(seen == epoch);
      }
    }
  }

  pleat::fold folding{ranks, ranks};
  rendezvous here{folding, {0, ranks}};
  alignas(endpoint) std::byte memory[sizeof(endpoint)] = {};
};

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // what takes longer
    searched::search<ranks_meet<4, 1>>("4 ranks", 4, 1);
    return searched::verdict();
  }
  searched::search<ranks_meet<2, 3>>("2 ranks", 2, 3);
  searched::search<ranks_meet<3, 1>>("3 ranks", 3, 2);
  return searched::verdict();
}
