// SPDX-License-Identifier: Apache-2.0
//
// Sum of the counts of a machine that traces, on process 0, which sends it to all.
#include <utility>

#include "engine/run_state.hpp"
#include "processes/process_group.hpp"

namespace pleat::detail {

void process_group::begin_costs() {
  gathered_.reset();
  if (run_.recorder == nullptr || layout_->self() != 0) return;
  if (v_ == 0 || v_ >> 32 != 0) return;  // the run will be rejected
  gathered_.emplace(v_, run_.recorder->processors(), *layout_);
}

void process_group::report_costs(const part_of_barrier& part,
                                 std::span<const counted_messages> messages) {
  if (layout_->self() == 0) return gathered_->add(part, messages);
  byte_buffer packet = front(packet_kind::counts);
  byte_writer to(packet);
  to.put(part);
  to.put_bytes(messages.data(), messages.size_bytes());
  post(0, std::move(packet));
}

void process_group::receive_costs(byte_reader content) {
  const auto part = content.take<part_of_barrier>();
  std::size_t bytes = 0;
  const std::byte* const first = content.take_bytes(bytes);
  // The messages are aligned: an arrival is, and byte_writer keeps alignment behind a front.
  const auto* const messages = reinterpret_cast<const counted_messages*>(first);
  if (gathered_) gathered_->add(part, {messages, bytes / sizeof(counted_messages)});
}

counted_run process_group::take_costs() {
  const byte_buffer bytes = std::move(costs_);
  byte_reader content(bytes);
  content.skip(sizeof(packet_head));
  static_cast<void>(content.take<std::uint64_t>());  // the run has not failed
  static_cast<void>(content.take<totals>());
  return counted_run::read(content);
}

}  // namespace pleat::detail
