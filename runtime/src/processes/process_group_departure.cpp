// SPDX-License-Identifier: Apache-2.0
//
// Notices of a process that destroys its machine or its link. If all processes do so, the notices
// have no effect. If others begin a run, they would wait for that process for ever; so process 0
// notifies them, as of every end of a run.
#include <exception>
#include <string>

#include <pleat/runtime/error.hpp>

#include "processes/process_group.hpp"

namespace pleat::detail {

void process_group::part(link& from) noexcept {
  packet_head head;
  head.kind = packet_kind::parted;
  head.epoch = std::uncaught_exceptions() != 0 ? 1 : 0;
  try {
    for (std::size_t to = 0; to < (from.self() == 0 ? from.size() : 1); ++to) {
      if (to == from.self()) continue;
      byte_buffer packet;
      byte_writer(packet).put(head);
      from.post(to, packet);
    }
  } catch (...) {
    // There is no memory for the notice.
  }
}

process_group::~process_group() {
  if (!link_->is_open()) return;
  packet_head head;
  head.run = link_->runs() + 1;
  head.kind = packet_kind::gone;
  head.epoch = std::uncaught_exceptions() != 0 ? 1 : 0;
  try {
    byte_buffer packet;
    byte_writer(packet).put(head);
    if (layout_->self() == 0)
      post_to_all(packet);
    else
      post(0, std::move(packet));
  } catch (...) {
    // There is no memory for the notice.
  }
}

void process_group::receive_departure(const departure& of) {
  if (!departed_) departed_ = of;
}

void process_group::end_without_departed() {
  if (departed_->run > number_) return;
  const std::exception_ptr cause = std::make_exception_ptr(
      usage_error("rank " + std::to_string(departed_->process) + " has destroyed its machine" +
                  (departed_->unwinding ? ", because of an exception," : "") +
                  " and takes no part in this run on M(" + std::to_string(v_) +
                  "): all ranks of a machine call the same runs"));
  if (layout_->self() == 0)
    finish(departed_->process, cause);
  else
    end(departed_->process, cause);
}

}  // namespace pleat::detail
