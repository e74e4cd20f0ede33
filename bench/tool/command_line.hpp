// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pleat::bench {

// Wrappers of what the commands need of CLI11, by its names, without its headers: each source that
// included them took seven seconds to compile. Only command_line.cpp does.

/// An option or a positional of a command, to say more about it.
class command_option {
 public:
  explicit command_option(CLI::Option& option) : option_(&option) {}

  command_option& required();
  /// Sets the name of its value in the help.
  command_option& type_name(const std::string& name);
  command_option& excludes(const command_option& other);
  /// Sets how many words may follow it.
  command_option& expected(int least, int most);

  /// Number of times it was given.
  [[nodiscard]] std::size_t count() const;

 private:
  CLI::Option* option_;
};

/// Words that stand behind "--": a command of somebody's own, which one of the tool's commands
/// takes.
struct foreign_command {
  std::optional<std::vector<std::string>> words;  ///< none without "--"
  std::vector<const CLI::App*> takers = {};
};

/// A command: its options, its help and what it does; or the whole tool, whose commands have
/// commands of their own. A handle, valid as long as the command_line it comes from; so are the
/// variables its options write to.
class tool_command {
 public:
  tool_command(CLI::App& app, foreign_command& behind) : app_(&app), behind_(&behind) {}

  /// A command that has commands takes exactly one of them.
  tool_command add_subcommand(const std::string& name, const std::string& help);

  /// T: a text, texts, either of them optional, or a double. A value that is there already is shown
  /// in the help. An option takes one word each time it is given.
  /// `type`: the name of the value in the help, unless it is CLI11's.
  template <class T>
  command_option add_option(const std::string& name, T& value, const std::string& help,
                            const std::string& type = {});
  command_option add_flag(const std::string& name, bool& value, const std::string& help);
  void set_version_flag(const std::string& name, const std::string& version);

  /// Makes it the command that takes the words behind "--", for its action to read.
  [[nodiscard]] const std::optional<std::vector<std::string>>& take_foreign_command();

  /// The options that were given, each by its name without dashes in front.
  [[nodiscard]] std::vector<std::string> given() const;

  /// The end of its help; `text` is called when the help is asked for.
  void footer(const std::string& text);
  void footer(std::function<std::string()> text);

  /// Sets its action, once all words are read.
  void callback(std::function<void()> action);

 private:
  CLI::App* app_;
  foreign_command* behind_;
};

/// The command line of a program.
class command_line {
 public:
  command_line(const std::string& program, const std::string& help);
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;
  ~command_line();

  [[nodiscard]] tool_command tool() { return tool_command(*app_, behind_); }

  /// Reads the words and carries out the commands they name. Prints the help or the version if that
  /// is asked for and nothing else; false then.
  /// Throws: pleat::usage_error, which ends in whose --help to see; what the commands throw.
  bool read(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  foreign_command behind_;
};

}  // namespace pleat::bench
