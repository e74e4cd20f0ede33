// SPDX-License-Identifier: Apache-2.0
#include "distributed_output.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

distributed_output::distributed_output(const rank_group& all, std::string target)
    : all_(all), target_(std::move(target)) {
  all_.first([&] {
    file_.emplace(target_, "the name of a file");
    aside_.emplace();
    temporary_ = file_->temporary().string();
  });
  temporary_ = all_.text_of(0, temporary_);
  all_.each([&] {
    if (::access(temporary_.c_str(), W_OK) == 0) return;
    throw error("cannot write " + target_ + ": its folder is not that of rank 0 (" +
                std::generic_category().message(errno) + "); choose one that all processes share");
  });
}

void distributed_output::write(std::string_view preamble, std::size_t bytes,
                               std::span<const std::byte> block, rows_of_file place) {
  const std::size_t start = all_.greatest(preamble.size());
  all_.first([&] {
    file_->reserve(start + bytes);
    file_->write(preamble);
  });
  place.offset += start;
  shared_file file(all_, temporary_, target_);
  file.write(block, place);
  file.finish();
}

void distributed_output::commit() {
  all_.first([&] { file_->commit(); });
}

}  // namespace pleat::bench
