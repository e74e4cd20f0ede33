// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <utility>

#include <CLI/CLI.hpp>

#include <pleat/runtime/error.hpp>

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

}  // namespace

command_option& command_option::required() {
  option_->required();
  return *this;
}
command_option& command_option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
command_option& command_option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}
command_option& command_option::excludes(const command_option& other) {
  option_->excludes(other.option_);
  return *this;
}
command_option& command_option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}
command_option& command_option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return *this;
}
command_option& command_option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}
std::size_t command_option::count() const { return option_->count(); }

tool_command tool_command::add_subcommand(const std::string& name, const std::string& help) {
  return tool_command(*app_->add_subcommand(name, help));
}

command_option tool_command::add_option(const std::string& name, std::string& value,
                                        const std::string& help) {
  return command_option(*app_->add_option(name, value, help));
}
command_option tool_command::add_option(const std::string& name, std::optional<std::string>& value,
                                        const std::string& help) {
  return command_option(*app_->add_option(name, value, help));
}
command_option tool_command::add_option(const std::string& name, std::vector<std::string>& value,
                                        const std::string& help) {
  return command_option(*app_->add_option(name, value, help));
}
command_option tool_command::add_option(const std::string& name, unsigned& value,
                                        const std::string& help) {
  return command_option(*app_->add_option(name, value, help));
}
command_option tool_command::add_option(const std::string& name, std::uint64_t& value,
                                        const std::string& help) {
  return command_option(*app_->add_option(name, value, help));
}
command_option tool_command::add_option(const std::string& name, double& value,
                                        const std::string& help) {
  return command_option(*app_->add_option(name, value, help));
}
command_option tool_command::add_flag(const std::string& name, bool& value,
                                      const std::string& help) {
  return command_option(*app_->add_flag(name, value, help));
}
void tool_command::set_version_flag(const std::string& name, const std::string& version) {
  app_->set_version_flag(name, version);
}

void tool_command::footer(const std::string& text) { app_->footer(text); }
void tool_command::footer(std::function<std::string()> text) { app_->footer(std::move(text)); }
void tool_command::callback(std::function<void()> action) { app_->callback(std::move(action)); }

void tool_command::allow_extras() { app_->allow_extras(); }
std::vector<std::string> tool_command::remaining() const { return app_->remaining(); }

std::vector<std::string> tool_command::subcommands() const {
  std::vector<std::string> names;
  for (const auto* one : std::as_const(*app_).get_subcommands({})) names.push_back(one->get_name());
  return names;
}
bool tool_command::subcommand_given() const { return !app_->get_subcommands().empty(); }

command_line::command_line(const std::string& program, const std::string& help)
    : app_(std::make_unique<CLI::App>(help, program)) {
  app_->get_formatter()->column_width(26);
}
command_line::~command_line() = default;

bool command_line::read(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() != 0)
      throw usage_error(std::string(failure.what()) + "; see " + being_read(*app_) + " --help");
    app_->exit(failure);
    return false;
  }
}

}  // namespace pleat::bench
