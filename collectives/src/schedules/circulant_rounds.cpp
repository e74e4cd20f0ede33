// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/circulant_rounds.hpp>

namespace pleat {

circulant_rounds::circulant_rounds(const circulant_graph& graph, std::size_t blocks) noexcept
    : blocks_(blocks), size_(0), q_(graph.rounds()), virtual_(0) {
  if (blocks == 0 || q_ == 0) return;
  size_ = blocks - 1 + q_;
  virtual_ = static_cast<unsigned>((q_ - (blocks - 1) % q_) % q_);
}

circulant_step circulant_rounds::step(const circulant_graph& graph, const circulant_schedule& own,
                                      std::uint32_t rank, std::uint32_t root,
                                      std::size_t round) const noexcept {
  assert(root < graph.processors());
  const unsigned k = skip_index(round);
  circulant_step step;
  step.to = graph.to(rank, k);
  step.from = graph.from(rank, k);
  if (step.to != root) step.sent = block(own.send[k], round);
  if (rank != root) step.received = block(own.recv[k], round);
  return step;
}

}  // namespace pleat
