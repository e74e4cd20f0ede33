// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include <pleat/runtime/error.hpp>

#include "words.hpp"

namespace pleat::bench {
namespace {

// The command that was being read when parsing failed: whose help to point at.
std::string being_read(const CLI::App& tool) {
  std::string line = tool.get_name();
  for (const auto* app = &tool; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    line += " " + app->get_name();
  }
  return line;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The first word that means nothing to the command that was being read: an option, if there is one,
// whose value is not known either then.
std::string unknown_word(const CLI::App& tool) {
  const auto* app = &tool;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  const auto words = app->remaining();
  if (words.empty()) return "a word";
  auto found = std::ranges::find_if(words, [](const auto& one) { return one.starts_with('-'); });
  if (found == words.end()) found = words.begin();
  const std::string word = found->substr(0, found->find('='));
  return word + did_you_mean(word, options_of(*app));
}

// A word that stands where a command belongs, or that none does, and which there are; empty if
// every command is there.
std::string command_missing(const CLI::App& tool) {
  for (const auto* app = &tool; !app->get_subcommands({}).empty();) {
    const auto given = app->get_subcommands();
    const auto others = app->remaining();
    if (given.empty() || !others.empty()) {
      const std::string within = app == &tool ? "" : app->get_name() + ": ";
      if (!others.empty() && others.front().starts_with('-'))
        return within + "not known: " + others.front() +
               did_you_mean(others.front(), options_of(*app));
      std::vector<std::string> names;
      for (const auto* one : app->get_subcommands({})) names.push_back(one->get_name());
      const auto what = others.empty() ? "no command" : "'" + others.front() + "' is no command";
      const auto meant = others.empty() ? "" : did_you_mean(others.front(), names);
      return within + what + (meant.empty() ? "; known: " + names_of(names) : meant);
    }
    app = given.front();
  }
  return {};
}

// A value that was given but is empty is a variable that a script forgot to set: no option means
// anything by it. (An option that may stand alone, as --json, has an empty value then.)
void refuse_empty_values(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    if (option->get_expected_min() == 0) continue;
    for (const auto& value : option->results()) {
      if (value.empty())
        throw usage_error(option->get_name() +
                          ": the value is empty; give one or leave the option out");
    }
  }
}

// Says in our words what CLI11 found wrong: its own speak of conversions and of what it expected.
std::string in_our_words(const CLI::App& tool, const CLI::ParseError& failure) {
  const std::string theirs = failure.what();
  const auto name = theirs.substr(0, theirs.find_first_of(": "));
  const auto behind = [&](std::string_view mark) {
    const auto at = theirs.find(mark);
    return at == std::string::npos ? std::string() : theirs.substr(at + mark.size());
  };
  if (dynamic_cast<const CLI::ConversionError*>(&failure) != nullptr ||
      dynamic_cast<const CLI::ValidationError*>(&failure) != nullptr) {
    const auto pair = behind("Could not convert: ");  // "--seed = abc"
    const auto equals = pair.find(" = ");
    if (equals != std::string::npos)
      return pair.substr(0, equals) + ": '" + pair.substr(equals + 3) + "' is no number it takes";
    return "an option has a value that it does not take";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr) {
    if (theirs.find("missing") != std::string::npos) return name + ": its value is missing";
    return name + ": it takes one value; give the option once";
  }
  const auto unknown = unknown_word(tool);
  const bool misspelt =
      dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr && unknown.starts_with('-');
  if (misspelt || dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr)
    return "not known: " + unknown;
  return theirs;
}

}  // namespace

command_option& command_option::required() {
  option_->required();
  return *this;
}
command_option& command_option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
command_option& command_option::excludes(const command_option& other) {
  option_->excludes(other.option_);
  return *this;
}
command_option& command_option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}
std::size_t command_option::count() const { return option_->count(); }

tool_command tool_command::add_subcommand(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);  // and no second one
  return tool_command(*app_->add_subcommand(name, help), *behind_);
}

template <class T>
command_option tool_command::add_option(const std::string& name, T& value, const std::string& help,
                                        const std::string& type) {
  auto* const option = app_->add_option(name, value, help);
  if (!type.empty()) option->type_name(type);
  if constexpr (std::is_arithmetic_v<T>) option->capture_default_str();
  if constexpr (std::is_same_v<T, std::string>)
    if (!value.empty()) option->capture_default_str();
  if (name.starts_with('-')) option->allow_extra_args(false);
  return command_option(*option);
}
#define PLEAT_OF_TYPE(...)                                                           \
  template command_option tool_command::add_option(const std::string&, __VA_ARGS__&, \
                                                   const std::string&, const std::string&)
PLEAT_OF_TYPE(std::string);
PLEAT_OF_TYPE(std::optional<std::string>);
PLEAT_OF_TYPE(std::vector<std::string>);
PLEAT_OF_TYPE(std::optional<std::vector<std::string>>);
PLEAT_OF_TYPE(double);
#undef PLEAT_OF_TYPE
command_option tool_command::add_flag(const std::string& name, bool& value,
                                      const std::string& help) {
  return command_option(*app_->add_flag(name, value, help));
}
void tool_command::set_version_flag(const std::string& name, const std::string& version) {
  app_->set_version_flag(name, version);
}

const std::optional<std::vector<std::string>>& tool_command::take_foreign_command() {
  behind_->takers.push_back(app_);
  return behind_->words;
}

std::vector<std::string> tool_command::given() const {
  std::vector<std::string> names;
  for (const auto* option : app_->get_options())
    if (option->count() > 0) names.push_back(option->get_single_name());
  return names;
}

void tool_command::footer(const std::string& text) { app_->footer(text); }
void tool_command::footer(std::function<std::string()> text) { app_->footer(std::move(text)); }
void tool_command::callback(std::function<void()> action) {
  app_->callback([app = app_, behind = behind_, action = std::move(action)] {
    if (behind->words && std::ranges::find(behind->takers, app) == behind->takers.end())
      throw usage_error(app->get_name() + ": it takes no command behind --; pleat sweep does");
    if (behind->words && behind->words->empty())
      throw usage_error(app->get_name() + ": there is no command behind --");
    refuse_empty_values(*app);
    action();
  });
}

command_line::command_line(const std::string& program, const std::string& help)
    : app_(std::make_unique<CLI::App>(help, program)) {
  app_->get_formatter()->column_width(26);
}
command_line::~command_line() = default;

bool command_line::read(int argc, char** argv) {
  try {
    int own = argc;
    for (int i = argc; i-- > 1;)
      if (std::string_view(argv[i]) == "--") own = i;
    if (own < argc) behind_.words.emplace(argv + own + 1, argv + argc);
    app_->parse(own, argv);
    return true;
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() != 0) {
      const auto missing = command_missing(*app_);
      throw usage_error((missing.empty() ? in_our_words(*app_, failure) : missing) + "; see " +
                        being_read(*app_) + " --help");
    }
    app_->exit(failure);
    return false;
  }
}

}  // namespace pleat::bench
