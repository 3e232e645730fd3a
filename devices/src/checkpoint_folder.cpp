// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/checkpoint_folder.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "checkpoint_format.hpp"
#include "private_files.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "checkpoint-";
constexpr std::string_view suffix_of_unfinished = ".new";
constexpr std::uint64_t largest_number = UINT64_MAX - 1;

// For a folder in use: a process that was killed may still be ending.
constexpr std::chrono::milliseconds longest_wait_for_folder{2000};

error io_error(const std::string& what) { return error(failure(failure_code::io, what)); }

std::string quoted_path(const fs::path& path) { return in_quotes(path.string()); }

/// An error of a call of the system, for which errno says why.
error failed_call(const std::string& what, const fs::path& path) {
  return io_error(what + " " + quoted_path(path) + ": " + std::strerror(errno) + ".");
}

/// The number of a file of that name; nothing if it is no checkpoint.
std::optional<std::uint64_t> number_in(std::string_view name) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_whole = problem == std::errc() && stop == name.data() + name.size();
  // The numbers of a folder are written in one way alone.
  if (!is_whole || name.front() == '0' || number > largest_number) return {};
  return number;
}

std::size_t checked_keep(std::size_t keep) {
  if (keep > 0) return keep;
  throw usage_error("The number of checkpoints to keep is 0; it must be at least 1.");
}

fs::path opened_folder(const fs::path& given) {
  std::error_code problem;
  // The program may go to another folder before the next checkpoint.
  fs::path folder = fs::absolute(given, problem);
  if (!folder.has_filename()) folder = folder.parent_path();
  const bool is_new = !fs::exists(folder, problem);
  if (given.empty() || !make_folder(folder)) {
    if (given.empty()) errno = ENOENT;
    throw failed_call("Checkpoints cannot be kept in", given);
  }
  // A folder that is gone after the system has failed would take its files with it.
  if (is_new && !sync_folder(folder.parent_path())) {
    throw failed_call("Checkpoints cannot be kept in", folder);
  }
  return folder;
}

result<std::string> content_of(const fs::path& file) {
  const auto unusable = [](const std::string& why) {
    return failure(failure_code::io, "The checkpoint cannot be read: " + why + ".");
  };
  const open_private_file opened = open_for_reading(file);
  if (opened.state == file_state::untrusted) {
    return unusable("it is no file of this user that others cannot write");
  }
  if (opened.state != file_state::read) return unusable(std::strerror(errno));
  std::string content(std::min<std::uint64_t>(opened.bytes, bytes_of_checkpoint_head), '\0');
  if (!read_all(opened.file.get(), content.data(), content.size())) {
    return unusable(std::strerror(errno));
  }
  // No memory is taken for a file that is not as long as it says, were it a terabyte of nothing.
  if (const failure why = check_checkpoint_head(content, opened.bytes)) return why;
  const std::size_t begin = content.size();
  content.resize(opened.bytes);
  if (!read_all(opened.file.get(), content.data() + begin, content.size() - begin)) {
    return unusable(std::strerror(errno));
  }
  return content;
}

result<saved_checkpoint> read_checkpoint(const fs::path& file, std::uint64_t number) {
  auto bytes = content_of(file);
  if (!bytes) return bytes.error();
  const auto kept = std::make_shared<const std::string>(std::move(bytes).value());
  auto parsed = parse_checkpoint(*kept);
  if (!parsed) return parsed.error();
  auto [position, arrays] = std::move(parsed).value();
  return saved_checkpoint{file, number, std::move(position), std::move(arrays), kept, {}};
}

/// The state of a file in the system. Each write to the file changes the time in it.
std::optional<std::array<std::uint64_t, 4>> state_of(const fs::path& file) {
  struct stat about {};
  if (::lstat(file.c_str(), &about) != 0) return {};
  return std::array{static_cast<std::uint64_t>(about.st_ino),
                    static_cast<std::uint64_t>(about.st_size),
                    static_cast<std::uint64_t>(about.st_ctim.tv_sec),
                    static_cast<std::uint64_t>(about.st_ctim.tv_nsec)};
}

}  // namespace

checkpoint_folder::checkpoint_folder(const fs::path& folder, std::size_t keep)
    : keep_(checked_keep(keep)), folder_(opened_folder(folder)) {
  lock_ = std::make_unique<folder_lock>(folder_, longest_wait_for_folder);
  if (lock_->is_busy()) {
    throw io_error("Checkpoints cannot be kept in " + quoted_path(folder_) +
                   ": another process, or another object of this one, uses the folder.");
  }
  if (!lock_->is_held()) throw failed_call("Checkpoints cannot be kept in", folder_);
  remove_unfinished();
}

checkpoint_folder::~checkpoint_folder() = default;

fs::path checkpoint_folder::file_of(std::uint64_t number) const {
  return folder_ / (std::string(prefix) + std::to_string(number));
}

std::vector<std::string> checkpoint_folder::names() const {
  std::vector<std::string> made;
  std::error_code problem;
  for (fs::directory_iterator at(folder_, problem), end; !problem && at != end;
       at.increment(problem)) {
    made.push_back(at->path().filename().string());
  }
  if (!problem) return made;
  throw io_error("The folder " + quoted_path(folder_) + " cannot be read: " + problem.message() +
                 ".");
}

/// In their order.
std::vector<std::uint64_t> checkpoint_folder::numbers() const {
  std::vector<std::uint64_t> made;
  for (const std::string& name : names()) {
    if (const auto number = number_in(name)) made.push_back(*number);
  }
  std::ranges::sort(made);
  return made;
}

std::uint64_t checkpoint_folder::next_number() const {
  const std::vector<std::uint64_t> before = numbers();
  if (before.empty()) return 1;
  if (before.back() < largest_number) return before.back() + 1;
  throw io_error("The checkpoint cannot be written to " + quoted_path(folder_) + ": its file " +
                 quoted_path(file_of(largest_number).filename()) +
                 " has the largest number that there is; move it away.");
}

/// Throws unless others find the folder locked: the lock goes with a folder that is removed, and
/// another owner may hold that of the folder which is there now.
void checkpoint_folder::check_owner() const {
  switch (lock_->look_in(folder_)) {
    case folder_lock::place::same:
      return;
    case folder_lock::place::unknown:
      throw failed_call("The checkpoint cannot be written, because the folder has lost its file",
                        folder_ / "lock");
    case folder_lock::place::other:
      break;
  }
  throw io_error("The checkpoint cannot be written to " + quoted_path(folder_) +
                 ": the folder, or its file \"lock\", was removed and made again since these "
                 "checkpoints were opened, and may have another owner.");
}

void checkpoint_folder::remove_unfinished() const {
  for (const std::string& name : names()) {
    std::string_view finished = name;
    if (!finished.ends_with(suffix_of_unfinished)) continue;
    finished.remove_suffix(suffix_of_unfinished.size());
    if (number_in(finished)) ::unlink((folder_ / name).c_str());
  }
}

void checkpoint_folder::note(std::uint64_t number, bool is_whole) {
  if (const auto state = state_of(file_of(number))) {
    known_[number] = {*state, is_whole};
  } else {
    known_.erase(number);
  }
}

/// Reads the file only if it is not known, because a checkpoint may have as many bytes as memory.
bool checkpoint_folder::is_whole(std::uint64_t number) {
  const fs::path file = file_of(number);
  const auto known = known_.find(number);
  if (known != known_.end() && known->second.state == state_of(file)) return known->second.is_whole;
  const bool found = static_cast<bool>(read_checkpoint(file, number));
  note(number, found);
  return found;
}

/// Files that cannot be used stay until all that are kept are newer: they may tell what happened.
void checkpoint_folder::remove_old() {
  const std::vector<std::uint64_t> all = numbers();
  std::size_t whole = 0;
  auto oldest = all.end();
  while (whole < keep_ && oldest != all.begin()) {
    --oldest;
    if (is_whole(*oldest)) ++whole;
  }
  if (whole < keep_) return;
  for (auto each = all.begin(); each != oldest; ++each) {
    ::unlink(file_of(*each).c_str());
    known_.erase(*each);
  }
}

std::uint64_t checkpoint_folder::write(const checkpoint_position& position,
                                       std::span<const checkpoint_array> arrays) {
  check_owner();
  const std::uint64_t number = next_number();
  const std::string front = checkpoint_front(position, arrays);
  std::vector<std::string_view> content{front};
  for (const checkpoint_array& each : arrays) {
    content.emplace_back(reinterpret_cast<const char*>(each.bytes.data()), each.bytes.size());
  }
  const fs::path file = file_of(number);
  if (!replace_file(file, file.string() + std::string(suffix_of_unfinished), content,
                    durability::system) ||
      !sync_folder(folder_)) {
    throw failed_call("The checkpoint cannot be written to", file);
  }
  try {
    note(number, true);
    remove_old();
  } catch (const std::bad_alloc&) {
    // The checkpoint is on the disk. The next one removes what is old.
  }
  return number;
}

std::optional<saved_checkpoint> checkpoint_folder::read_newest() {
  const std::vector<std::uint64_t> all = numbers();
  std::vector<unusable_checkpoint> passed_over;
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    auto found = read_checkpoint(file_of(*at), *at);
    note(*at, static_cast<bool>(found));
    if (found) {
      saved_checkpoint made = std::move(found).value();
      made.newer = std::move(passed_over);
      return made;
    }
    passed_over.push_back({file_of(*at), found.error().message()});
  }
  if (passed_over.empty()) return {};
  throw io_error("None of the " + std::to_string(passed_over.size()) + " checkpoints in " +
                 quoted_path(folder_) + " can be used. Of the newest one, " +
                 quoted_path(passed_over.front().file.filename()) +
                 ", is known: " + passed_over.front().why);
}

}  // namespace hocket
