// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

// Paths of unfinished files, lock-free because the signal handler reads them. A slot's release
// store pairs with the handler's acquire load, so that the handler sees the whole path.
std::array<std::atomic<const char*>, 8> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_unfinished_files(int signal) {
  for (auto& slot : unfinished) {
    if (const char* path = slot.load(std::memory_order_acquire)) ::unlink(path);
  }
  // SA_RESETHAND has restored the default action, so the raised signal ends the process.
  static_cast<void>(::raise(signal));
}

constexpr std::array ending{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU};

void install_handlers() {
  for (int signal : ending) {
    struct sigaction current {};
    // Leaves alone a signal that is ignored (nohup) or has a handler already.
    if (::sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = remove_unfinished_files;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
  // Makes write fail with EFBIG at the limit of file sizes, in place of ending the process. SIG_IGN
  // would do so too, but programs that this process starts would inherit it.
  static_cast<void>(std::signal(SIGXFSZ, [](int) {}));
}

/// Remembers a file that must not outlive the process unless it is finished. From the first call
/// on, each signal of `ending` (Ctrl-C, SIGTERM, a closed terminal or pipe) removes all remembered
/// files before it ends the process; SIGKILL and crashes leave them behind.
///
/// Requires: `path` stays valid until forget_unfinished_file; at most eight at a time.
/// Thread safety: any thread.
void remember_unfinished_file(const char* path) {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  for (auto& slot : unfinished) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, path, std::memory_order_release,
                                     std::memory_order_relaxed))
      return;
  }
  assert(false && "more than eight unfinished files at once");
}

void forget_unfinished_file(const char* path) {
  for (auto& slot : unfinished) {
    const char* expected = path;
    if (slot.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed)) return;
  }
}

// Blocks signals: one between making and remembering the temporary file would leave it behind.
class signals_held {
 public:
  signals_held() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

output_file::output_file(std::filesystem::path target)
    : named_(std::move(target)),
      target_(file_behind(named_)),
      to_stdout_(named_.string() == standard_stream) {
  if (named_.empty()) throw error("cannot write a file without a name; give the name of a file");
  if (to_stdout_) {
    if (::isatty(STDOUT_FILENO) != 0)
      throw error("standard output is a terminal; send it to a file or a program: … > FILE");
    return;
  }
  std::error_code failure;  // errors not checked below are reported by open_temporary
  // Status of named_, not of target_: /dev/stdout may lead to a pipe, which has no path.
  const auto status = std::filesystem::status(named_, failure);
  if (failure.value() == ELOOP || failure.value() == ENAMETOOLONG) fail("write", failure.value());
  if (std::filesystem::exists(status)) {
    if (!std::filesystem::is_regular_file(status))
      throw error("cannot write " + named_.string() + ": it is " +
                  (std::filesystem::is_directory(status) ? "a folder" : "not a regular file") +
                  "; give the name of a file, or - for standard output");
    if (::access(target_.c_str(), W_OK) != 0) fail("write", errno);
  }
  open_temporary();
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) {
    // Copies the permissions of the old file, but not its owner; if that fails, defaults stay.
    static_cast<void>(::fchmod(descriptor_, old.st_mode & 07777U));
  }
}

void output_file::open_temporary() {
  std::random_device random;
  // Limit of the bytes taken from the target's name: file systems allow 255 in the whole name.
  constexpr std::size_t longest = 200;
  const auto stem = "." + target_.filename().string().substr(0, longest) + ".";
  int failure = 0;
  for (int attempt = 0; attempt < 16; ++attempt) {
    auto candidate = folder_of(target_) / (stem + std::to_string(random()) + ".part");
    const signals_held hold;
    descriptor_ = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = std::move(candidate);
      remember_unfinished_file(temporary_.c_str());
      return;
    }
    failure = errno;
    if (failure != EEXIST) break;
  }
  fail("write", failure);
}

void output_file::write_to_stdout(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail("write", errno);
}

void output_file::write(std::span<const std::byte> bytes) {
  if (to_stdout_) return write_to_stdout(bytes);
  constexpr std::size_t most = std::size_t{1} << 30;  // the kernel takes less than 2 GiB at once
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most));
    if (written < 0 && errno != EINTR) fail("write", errno);
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void output_file::commit() {
  if (to_stdout_) {
    if (std::fflush(stdout) != 0) fail("write", errno);
    return;
  }
  // Some file systems have nothing to synchronise and say so with EINVAL.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("write", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace", errno);
  forget_unfinished_file(temporary_.c_str());
  temporary_.clear();
  // The rename itself survives a power cut once the folder is on disk; the data already are.
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    static_cast<void>(::fsync(folder));
    ::close(folder);
  }
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_unfinished_file(temporary_.c_str());
}

void output_file::fail(std::string_view doing, int number) const {
  constexpr auto not_allowed = "; choose a place you may write to",
                 full = "; free some space or choose another disk";
  std::error_code unknown;
  const bool folder_is_there = std::filesystem::is_directory(folder_of(target_), unknown);
  const std::map<int, const char*> advices{
      {ENOENT, folder_is_there ? "; choose another folder" : "; create the folder first"},
      {EACCES, not_allowed},
      {EPERM, not_allowed},
      {EROFS, not_allowed},
      {ENAMETOOLONG, "; choose a shorter name"},
      {ELOOP, "; its symbolic links lead to each other: name another file"},
      {EFBIG, "; raise the limit of file sizes or choose another disk"},
      {ENOSPC, full},
      {EDQUOT, full}};
  const auto advice = advices.find(number);
  throw error("cannot " + std::string(doing) + " " +
              (to_stdout_ ? "standard output" : named_.string()) + ": " +
              std::generic_category().message(number) +
              (advice == advices.end() ? "" : advice->second));
}

std::filesystem::path file_behind(const std::filesystem::path& name) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // the kernel's limit
  std::error_code failure;
  auto file = fs::absolute(name, failure);
  if (failure) return name;
  for (int links = 0; links < most_links; ++links) {
    const auto target = fs::read_symlink(file, failure);
    if (failure) break;
    file = file.parent_path() / target;  // the target itself if that is absolute
  }
  auto folder = fs::weakly_canonical(file.parent_path(), failure);
  return failure ? file : folder / file.filename();
}

namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a == standard_stream || b == standard_stream) return false;
  std::error_code failure;
  if (fs::equivalent(a, b, failure) && !failure) return true;
  return file_behind(a) == file_behind(b);
}

// Reason why two uses of one file conflict; empty if they do not.
std::string_view conflict(const command_file& a, const command_file& b) {
  const bool stream = a.name == standard_stream;
  if (a.use == file_use::read && b.use == file_use::read)
    return stream ? "both are standard input, which can be read once; save one to a file" : "";
  if (a.use == file_use::read || b.use == file_use::read) {
    const auto written = a.use == file_use::read ? b.use : a.use;
    if (stream || written == file_use::result) return "";  // standard input is not output
    return "the input would be lost; give another file";
  }
  return "one would overwrite the other; give two files";
}

}  // namespace

void check_files(std::span<const command_file> files) {
  for (const auto& file : files) {
    if (file.name.empty())
      throw usage_error(
          std::string(file.option) + ": the name is empty; give a file's name, or - " +
          (file.use == file_use::read ? "for standard input" : "for standard output"));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto why = conflict(files[j], files[i]);
      if (why.empty() || !same_file(files[j].name, files[i].name)) continue;
      throw usage_error(std::string(files[j].option) + " and " + std::string(files[i].option) +
                        " are the same file, " + files[i].name + ": " + std::string(why));
    }
  }
}

}  // namespace pleat::bench
