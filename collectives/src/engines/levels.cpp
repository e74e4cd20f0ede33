// SPDX-License-Identifier: Apache-2.0
#include "levels.hpp"

#include <algorithm>
#include <utility>

#include <pleat/runtime/detail/vp_access.hpp>

namespace pleat::detail {

namespace {

segment ranks_here(vp& me, const segment& whole) {
  const rank_range here = intersect(vp_access::vps_of_space(me, vp_access::space_of(me, me.rank())),
                                    {whole.first, whole.first + whole.size});
  return {here.first, here.size(), whole.label};
}

}  // namespace

levels::levels(endpoint& whole)
    : me_(whole.me()),
      whole_(whole.where()),
      first_process_(vp_access::space_of(me_, whole_.first)),
      processes_(static_cast<std::uint32_t>(
          vp_access::space_of(me_, whole_.first + whole_.size - 1) + 1 - first_process_)),
      process_(static_cast<std::uint32_t>(vp_access::space_of(me_, me_.rank()) - first_process_)),
      local_(me_, ranks_here(me_, whole_)) {
  if (local_.rank() != 0) return;
  std::vector<std::uint32_t> members;  // none if all are leaders
  for (std::uint32_t process = 0; processes_ != whole_.size && process < processes_; ++process)
    members.push_back(static_cast<std::uint32_t>(whole_.first) + first_of(process));
  leaders_ = std::make_unique<endpoint>(me_, whole_, std::move(members));
}

std::uint32_t levels::process_of(std::uint32_t rank) const noexcept {
  return static_cast<std::uint32_t>(vp_access::space_of(me_, whole_.first + rank) - first_process_);
}

std::uint32_t levels::first_of(std::uint32_t process) const noexcept {
  if (process == processes_) return static_cast<std::uint32_t>(whole_.size);
  const std::size_t first = vp_access::vps_of_space(me_, first_process_ + process).first;
  return static_cast<std::uint32_t>(std::max(first, whole_.first) - whole_.first);
}

std::exception_ptr levels::left_over() const {
  if (std::exception_ptr cause = local_.left_over()) return cause;
  return leaders_ == nullptr ? nullptr : leaders_->left_over();
}

}  // namespace pleat::detail
