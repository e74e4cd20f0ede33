// SPDX-License-Identifier: Apache-2.0
#include "our_collectives.hpp"

#include <algorithm>
#include <string>

#include <pleat/runtime/error.hpp>

#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "performed.hpp"

namespace pleat::bench {
namespace {

/// Memory of one virtual processor.
struct rank_data {
  big_block input, result;
  double seconds = 0;
  std::string wrong;
};

/// Repetitions of an operation. In each, a VP fills its input, waits for the others and is timed.
class repeated {
 public:
  repeated(const collective& one, const machine& on, std::size_t repetitions, std::uint64_t seed)
      : one_(one),
        counts_(counts_of(one, on.processors())),
        pages_(on.memory().size),
        repetitions_(repetitions),
        seed_(seed),
        ranks_(on.processors()) {}

  task<> play(vp& me, bool check) {
    rank_data& own = ranks_[me.rank()];
    const collective_share share{one_, me.size(), me.rank()};
    own.input = big_block(share.input_bytes(), pages_);
    own.result = big_block(share.result_bytes(), pages_);
    for (std::size_t k = 0; k <= repetitions_; ++k) {
      share.fill_input(own.input.bytes(), seed_ + k);
      if (check) share.spoil(own.result.bytes());
      co_await me.sync(0);
      const auto start = benchmark_clock::now();
      task<> operation =
          perform<std::byte>(me, one_, counts_, own.input.bytes(), own.result.bytes());
      co_await operation;
      own.seconds = seconds_since(start);
      co_await me.sync(0);
      if (me.rank() == 0 && k > 0) slowest_.push_back(slowest());
      if (check) own.wrong = share.first_wrong(own.result.bytes(), seed_ + k).value_or("");
      co_await me.sync(0);
    }
  }

  [[nodiscard]] std::vector<double> seconds() && { return std::move(slowest_); }
  [[nodiscard]] std::string first_wrong() const {
    for (const rank_data& own : ranks_) {
      if (!own.wrong.empty()) return own.wrong;
    }
    return {};
  }

 private:
  [[nodiscard]] double slowest() const {
    double most = 0;
    for (const rank_data& own : ranks_) most = std::max(most, own.seconds);
    return most;
  }

  collective one_;
  std::vector<std::size_t> counts_;
  memory_policy::pages pages_;
  std::size_t repetitions_;
  std::uint64_t seed_;
  std::vector<rank_data> ranks_;
  std::vector<double> slowest_;
};

}  // namespace

void our_collectives::verify(const collective& one, std::uint64_t seed) {
  repeated once(one, *on_, 0, seed);
  on_->run(on_->processors(), [&](vp& me) { return once.play(me, true); });
  if (const std::string wrong = once.first_wrong(); !wrong.empty())
    throw error("verification failed: " + std::string(name_of(one.what)) + ": " + wrong);
}

std::vector<double> our_collectives::time(const collective& one, std::size_t repetitions,
                                          std::uint64_t seed) {
  repeated many(one, *on_, repetitions, seed);
  on_->run(on_->processors(), [&](vp& me) { return many.play(me, false); });
  return std::move(many).seconds();
}

}  // namespace pleat::bench
