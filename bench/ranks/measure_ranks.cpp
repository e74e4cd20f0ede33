// SPDX-License-Identifier: Apache-2.0
#include "measure_ranks.hpp"

#include <array>
#include <mpi.h>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>

#include "ranked_program.hpp"
#include "sweep/case_request.hpp"
#include "sweep/sample_stream.hpp"

namespace pleat::bench {
namespace {

enum class order : int { verify, sample, end };

// The first rank's orders, carried out by all.
class orders {
 public:
  orders(const rank_group& all, ranked_program& program) : all_(all), program_(program) {}
  orders(const orders&) = delete;
  orders& operator=(const orders&) = delete;
  /// Ends the orders, on the first rank: the others need not wait for more. After a failure none
  /// does.
  ~orders() {
    if (all_.is_first() && !failed_) static_cast<void>(told(order::end));
  }

  /// Gives an order; on the first rank.
  double give(order what) {
    static_cast<void>(told(what));
    return carry_out(what);
  }
  /// Follows orders; on the other ranks.
  void follow() {
    for (order what = told(order::end); what != order::end; what = told(order::end))
      static_cast<void>(carry_out(what));
  }

 private:
  [[nodiscard]] order told(order what) const {
    int word = static_cast<int>(what);
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Ibcast(&word, 1, MPI_INT, 0, all_.processes(), &sent);
    wait_yielding(sent);
    return static_cast<order>(word);
  }
  double carry_out(order what) {
    double seconds = 0;
    failed_ = true;
    if (what == order::verify)
      program_.verify();
    else
      seconds = program_.sample();
    failed_ = false;
    return seconds;
  }

  const rank_group& all_;
  ranked_program& program_;
  bool failed_ = false;
};

machine_options options_of(const sweep_case& at) {
  machine_options options = at.options();
  options.processors = at.processors_of_rank();
  options.place.reset();  // they divide the cores
  options.workers.reset();
  if (at.wait == sweep_case{}.wait) options.wait.reset();
  return options;
}

void measure(const rank_group& all, const case_request& request) {
  const unsigned wanted = request.at.ranks.value_or(1);
  if (static_cast<unsigned>(all.ranks()) != wanted)
    throw error("its launcher started " + std::to_string(wanted) +
                " programs of one rank each; it is that of another MPI than " PLEAT_MPI_NAME);
  machine on(mpi::over(all.processes(), options_of(request.at)));
  const auto program = ranked_program_of(all, on, request.at);
  orders all_do(all, *program);
  if (!all.is_first()) return all_do.follow();
  const std::array ours{candidate{"pleat", [&] { all_do.give(order::verify); },
                                  [&] { return all_do.give(order::sample); }}};
  stream_samples(ours, {.seconds = request.seconds, .seed = request.seed},
                 nlohmann::ordered_json::object());
}

}  // namespace

prepared_ranks ranked_program_of(const rank_group& all, machine& on, const sweep_case& at) {
  if (at.program == "sort") return ranked_sort(all, on, at);
  if (at.program == "fft") return ranked_fft(all, on, at);
  if (at.program == "matmul") return ranked_matmul(all, on, at);
  if (at.program.starts_with("stencil")) return ranked_stencil(all, on, at);
  throw usage_error("--programs: " + at.program + " is not measured over ranks");
}

void measure_ranks(const rank_group& all, const std::string& text) {
  const case_request request = request_from(text);
  const auto reason = reason_of_failure([&] { measure(all, request); });
  if (reason && all.is_first()) print_event({{"failed", *reason}});
}

}  // namespace pleat::bench
