// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/counter_files.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "private_files.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix_of_new = ".new";
constexpr std::uint64_t largest_counter_file = std::uint64_t{1} << 20U;

std::string system_reason() { return std::string(" (") + std::strerror(errno) + ")"; }

/// When the process began, in ticks since the system did; nothing if there is no such process.
std::optional<std::uint64_t> begin_of(std::uint64_t process) {
  const descriptor file(
      ::open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char content[1024];
  const ssize_t got = file ? ::read(file.get(), content, sizeof content) : -1;
  if (got <= 0) return std::nullopt;
  const std::string_view all(content, static_cast<std::size_t>(got));
  // The name of the program, in parentheses, may have blanks and parentheses.
  const std::size_t behind_name = all.rfind(") ");
  if (behind_name == all.npos) return std::nullopt;
  const std::vector<std::string> fields = split(all.substr(behind_name + 2), ' ');
  constexpr std::size_t state = 0, begin = 19;
  if (fields.size() <= begin || fields[state] == "Z" || fields[state] == "X") return std::nullopt;
  return parse_number("The begin of a process", fields[begin], 0, UINT64_MAX);
}

std::string name_of(const exporter_id& from) {
  return std::to_string(from.process) + "." + std::to_string(from.began) + "." +
         std::to_string(from.runtime);
}

/// The runtime whose file has this name, also while it is written; nothing if it is none.
std::optional<exporter_id> parse_name(std::string_view name) {
  if (name.ends_with(suffix_of_new)) name.remove_suffix(suffix_of_new.size());
  const std::vector<std::string> parts = split(name, '.');
  exporter_id made;
  std::uint64_t* const numbers[] = {&made.process, &made.began, &made.runtime};
  if (parts.size() != std::size(numbers)) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [stop, problem] = std::from_chars(parts[i].data(), end, *numbers[i]);
    if (problem != std::errc() || stop != end) return std::nullopt;
  }
  return made;
}

/// True if nothing was written to the file for so long that its process may have become another
/// program. False if the file is gone.
bool is_old(const fs::path& file) {
  constexpr std::time_t most_seconds = 10;
  struct stat about {};
  return ::lstat(file.c_str(), &about) == 0 && ::time(nullptr) - about.st_mtime > most_seconds;
}

error problem_of(const fs::path& folder, const std::string& what) {
  return error(failure(failure_code::io, "The counters in " + in_quotes(folder.string()) +
                                             " cannot be read: " + what + "."));
}

}  // namespace

fs::path counter_folder() {
  const auto given = environment_variable("XDG_RUNTIME_DIR");
  // The specification of XDG has relative paths ignored.
  if (given && fs::path(*given).is_absolute()) return fs::path(*given) / "hocket";
  return "/tmp/hocket-" + std::to_string(::geteuid());
}

std::vector<exported_counters> read_counters(const fs::path& folder) {
  std::error_code problem;
  if (fs::symlink_status(folder, problem).type() == fs::file_type::not_found) return {};
  if (!own_folder(folder).is_trusted()) {
    throw problem_of(folder, "that is no folder of this user that others cannot write");
  }
  std::vector<exported_counters> made;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const fs::path& file = at->path();
    const std::optional<exporter_id> from = parse_name(file.filename().string());
    if (!from) continue;
    if (begin_of(from->process) != from->began || is_old(file)) {
      ::unlink(file.c_str());
      continue;
    }
    if (file.string().ends_with(suffix_of_new)) continue;
    file_content content = read_private_file(file, largest_counter_file);
    if (content.state == file_state::read) made.push_back({*from, std::move(content.bytes)});
  }
  if (problem) throw problem_of(folder, problem.message());
  std::ranges::sort(made, {}, &exported_counters::from);
  return made;
}

counter_file::counter_file(const fs::path& folder, std::uint64_t runtime)
    : folder_(folder),
      file_(folder_.path() /
            name_of({static_cast<std::uint64_t>(::getpid()),
                     begin_of(static_cast<std::uint64_t>(::getpid())).value_or(0), runtime})),
      next_(file_.string() + std::string(suffix_of_new)) {}

counter_file::~counter_file() { ::unlink(file_.c_str()); }

void counter_file::warn(const std::string& why) {
  if (std::exchange(warned_, true)) return;
  std::fprintf(stderr, "hocket: Counters cannot be written to %s%s; \"hocket top\" shows none.\n",
               in_quotes(folder_.path().string()).c_str(), why.c_str());
}

void counter_file::write(std::string_view content) {
  if (!folder_.make()) return warn(system_reason());
  if (!folder_.is_trusted()) {
    return warn(", because that is no folder of this user that others cannot write");
  }
  if (!replace(content)) warn(system_reason());
}

bool counter_file::replace(std::string_view content) const {
  return replace_file(file_, next_, {&content, 1}, durability::process);
}

}  // namespace hocket
