// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>
#include <span>

#include "case_record.hpp"
#include "case_request.hpp"
#include "compare/rivals_program.hpp"
#include "measure/child_process.hpp"
#include "measure/clock.hpp"
#include "rank_launch.hpp"
#include "sweep_session.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"
#include "visit_plan.hpp"

namespace pleat::bench {
namespace {

std::string title(std::size_t cases) {
  return "sweeping " + std::to_string(cases) + (cases == 1 ? " case" : " cases");
}

std::string readable_seconds(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  return whole < 120 ? std::to_string(whole) + " s" : std::to_string((whole + 59) / 60) + " min";
}

/// Upper bound of the seconds that the unfinished cases will take. Empty if the number of
/// repetitions is fixed and some case has no round yet.
std::optional<double> seconds_left(std::span<const case_record> records,
                                   const repetition_rule& rule, const visit_plan& plan) {
  double left = 0;
  for (const auto& one : records) {
    if (plan.stopped(one) != stop::not_yet) continue;
    if (!rule.repetitions) {
      left += std::max(rule.time_limit - one.seconds, 0.0);
    } else {
      if (one.rounds() == 0) return {};
      const auto done = static_cast<double>(one.rounds());
      left += one.seconds / done * (static_cast<double>(*rule.repetitions) - done);
    }
  }
  return left;
}

/// Progress of a sweep: on a terminal one line that changes, elsewhere a line every ten seconds.
class sweep_progress {
 public:
  sweep_progress(std::size_t cases, const repetition_rule& rule)
      : rule_(rule), bar_(title(cases)), last_line_(std::chrono::steady_clock::now()) {}

  /// Updates the line; called after every round of a case, and when a visit begins.
  void update(std::span<const case_record> records, const case_record& at, const visit_plan& plan) {
    constexpr std::chrono::seconds between_lines(10);
    const auto done = static_cast<std::size_t>(std::ranges::count_if(
        records, [&](const case_record& one) { return plan.stopped(one) != stop::not_yet; }));
    std::string text = std::to_string(done) + " done";
    if (const auto left = seconds_left(records, rule_, plan))
      text += ", at most " + readable_seconds(*left) + " left";
    text += ": " + at.at.name();
    if (const auto width = relative_interval(at, at.rounds()))
      text += " ± " + readable_number(100 * *width) + " %";
    bar_.update(done, records.size(), text);
    const auto now = std::chrono::steady_clock::now();
    if (stderr_columns() || now - last_line_ < between_lines) return;
    last_line_ = now;
    note(title(records.size()) + ": " + text);
  }

 private:
  const repetition_rule rule_;
  progress_bar bar_;
  std::chrono::steady_clock::time_point last_line_;
};

using json = nlohmann::ordered_json;

// Process that measures a case, and its answers.
class case_process {
 public:
  case_process(const case_request& request, bool with_rivals, double rank_patience)
      : case_process(launch(request, with_rivals)) {
    if (request.at.ranks) {
      using milliseconds = std::chrono::duration<double, std::milli>;
      child_.expect_within(std::chrono::duration_cast<std::chrono::milliseconds>(
          milliseconds(1e3 * rank_patience + 1)));
    }
  }

  bool ask() { return child_.write("\n"); }

  /// The next event; one that says why, if the process ended instead.
  json answer() {
    try {
      if (auto event = next()) return std::move(*event);
    } catch (const child_silent& ranks) {
      return {{"failed", "its ranks have " + std::string(ranks.what()) +
                             "; see --rank-timeout, or use a smaller n"}};
    }
    const int code = child_.wait();
    std::string reason = "its process ended with exit code " + std::to_string(code);
    if (code > 128)
      reason = "its process was ended by signal " + std::to_string(code - 128) + " (" +
               ::strsignal(code - 128) + ")" +
               (code == 128 + SIGKILL ? "; was there enough memory? try a smaller n" : "");
    return {{"failed", reason}};
  }

  /// Lets it end: what it says last.
  std::vector<json> end() {
    child_.close_input();
    std::vector<json> events;
    try {
      while (auto event = next()) events.push_back(std::move(*event));
    } catch (const child_silent&) {
      return events;  // what was measured counts; it is killed
    }
    static_cast<void>(child_.wait());
    return events;
  }

 private:
  explicit case_process(const rank_launch& how)
      : child_(how.program, how.arguments, {.environment = how.environment, .leads = true}) {}

  static rank_launch launch(const case_request& request, bool with_rivals) {
    const std::vector<std::string> words{measure_case_word, request_text(request)};
    if (request.at.ranks)
      return launch_ranks(find_mpi(request.at.mpi.value()), *request.at.ranks,
                          request.at.processors > topology::host().available(), words);
    return {with_rivals ? companion_program("pleat-rivals") : this_program(), words,
            environment(request.at, with_rivals)};
  }

  // Returns the next event, which a record can take: so a journal has no other. Lines that a
  // library prints are no JSON object and are skipped.
  std::optional<json> next() {
    while (const auto line = child_.read_line()) {
      json event = json::parse(*line, nullptr, false);
      if (!event.is_object()) continue;
      try {
        case_record().apply(event);
      } catch (const std::exception& why) {
        return json{{"failed", "its process tells what cannot have happened: " + *line}};
      }
      return event;
    }
    return {};
  }

  static environment_changes environment(const sweep_case& at, bool with_rivals) {
    if (!with_rivals) return {};
    const auto options = at.options();
    return openmp_environment(place(topology::host(), *options.place, options.processors), false);
  }

  child_process child_;
};

class sweep_run {
 public:
  sweep_run(std::vector<case_record>& records, const sweep_settings& settings, journal* kept)
      : records_(records),
        settings_(settings),
        kept_(kept),
        plan_(settings.rule, settings.seed),
        progress_(records.size(), settings.rule) {}

  int until_done() {
    const interruptions_passed_on until_reported;
    while (const auto index = plan_.next(records_)) {
      try {
        visit(*index);
      } catch (const interrupted&) {
      }
      if (const int signal = interruptions_passed_on::signal(); signal != 0) return signal;
    }
    return 0;
  }

 private:
  struct interrupted {};

  void visit(std::size_t index) {
    const case_record& record = records_[index];
    happened(index, {{"visit", true}});
    const auto start = benchmark_clock::now();
    case_process process(request(record, false), settings_.rivals.contains(record.at.program),
                         settings_.rank_patience);
    json event = process.answer();
    for (;;) {
      if (interruptions_passed_on::signal() != 0) throw interrupted{};
      if (!event.contains("failed")) event["elapsed"] = seconds_since(start);
      happened(index, event);
      progress_.update(records_, record, plan_);
      if (record.failure) return;
      if (plan_.visit_done(record)) break;
      static_cast<void>(process.ask());
      event = process.answer();
    }
    for (const auto& last : process.end()) happened(index, last);
    if (!record.counted && !record.at.ranks && !record.at.command) count(index);
  }

  // Counts the communication of the case in a process of its own, since counting takes memory.
  void count(std::size_t index) {
    case_process process(request(records_[index], true), false, settings_.rank_patience);
    json event = process.answer();
    if (interruptions_passed_on::signal() != 0) throw interrupted{};
    if (event.contains("failed")) event = {{"costs", nullptr}, {"reason", event.at("failed")}};
    happened(index, event);
  }

  [[nodiscard]] case_request request(const case_record& record, bool count) const {
    const auto rivals = settings_.rivals.find(record.at.program);
    return {record.at,
            settings_.seconds,
            count,
            settings_.seed,
            rivals == settings_.rivals.end() ? std::vector<std::string>{} : rivals->second,
            record.at.command ? settings_.command.filled(record.at) : case_commands()};
  }

  void happened(std::size_t index, const json& event) {
    if (kept_ != nullptr) kept_->add(index, event);
    records_[index].apply(event);
  }

  std::vector<case_record>& records_;
  const sweep_settings& settings_;
  journal* const kept_;
  visit_plan plan_;
  sweep_progress progress_;
};

}  // namespace

int run_sweep(std::vector<case_record>& records, const sweep_settings& settings, journal* kept) {
  return sweep_run(records, settings, kept).until_done();
}

}  // namespace pleat::bench
