// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "private_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <boost/uuid/name_generator_sha1.hpp>

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr const char* name_of_lock = "lock";

}  // namespace

descriptor::~descriptor() {
  if (number_ >= 0) ::close(number_);
}

bool is_private(const struct stat& about, mode_t kind) {
  return (about.st_mode & S_IFMT) == kind && about.st_uid == ::geteuid() &&
         (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool make_folder(const fs::path& folder) {
  if (folder.empty()) return false;
  struct stat about {};
  if (::stat(folder.c_str(), &about) == 0) {
    errno = ENOTDIR;
    return S_ISDIR(about.st_mode);
  }
  if (!folder.has_parent_path() || folder.parent_path() == folder) return false;
  if (!make_folder(folder.parent_path())) return false;
  return ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST;
}

open_private_file open_for_reading(const fs::path& path) {
  // Without O_NONBLOCK a pipe of that name would wait for its writer.
  descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return {file_state::absent};
  if (!file && errno == ELOOP) return {file_state::untrusted};
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0) return {};
  if (!is_private(about, S_IFREG)) return {file_state::untrusted};
  return {file_state::read, std::move(file), static_cast<std::uint64_t>(about.st_size)};
}

bool read_all(int file, char* into, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = ::read(file, into, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    into += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

file_content read_private_file(const fs::path& path, std::uint64_t max_bytes) {
  const open_private_file opened = open_for_reading(path);
  if (opened.state != file_state::read) return {opened.state, {}};
  if (opened.bytes > max_bytes) {
    errno = EFBIG;
    return {};
  }
  std::string bytes(static_cast<std::size_t>(opened.bytes), '\0');
  if (!read_all(opened.file.get(), bytes.data(), bytes.size())) return {};
  return {file_state::read, std::move(bytes)};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool replace_file(const fs::path& file, const fs::path& next,
                  std::span<const std::string_view> content, durability how) {
  ::unlink(next.c_str());
  bool written = false;
  {
    const descriptor made(::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR));
    written = static_cast<bool>(made);
    for (const std::string_view piece : content) written = written && write_all(made.get(), piece);
    if (how == durability::system) written = written && ::fsync(made.get()) == 0;
  }
  if (written && ::rename(next.c_str(), file.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(next.c_str());
  errno = why;
  return false;
}

bool sync_folder(const fs::path& folder) {
  const descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened && ::fsync(opened.get()) == 0;
}

folder_lock::folder_lock(const fs::path& folder, std::chrono::milliseconds most_wait)
    : file_(::open((folder / name_of_lock).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                   S_IRUSR | S_IWUSR)) {
  constexpr std::chrono::milliseconds between{1};
  if (!file_) return;
  for (auto waited = between; waited <= most_wait; waited += between) {
    is_held_ = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
    if (is_held_ || errno != EWOULDBLOCK) return;
    ::poll(nullptr, 0, static_cast<int>(between.count()));
  }
  is_busy_ = true;
}

folder_lock::place folder_lock::look_in(const fs::path& folder) const {
  struct stat locked {};
  struct stat found {};
  if (::fstat(file_.get(), &locked) != 0 || ::lstat((folder / name_of_lock).c_str(), &found) != 0) {
    return place::unknown;
  }
  // A file that is open keeps its number.
  const bool is_same = locked.st_dev == found.st_dev && locked.st_ino == found.st_ino;
  return is_same ? place::same : place::other;
}

boost::uuids::uuid digest_of(std::string_view bytes) {
  return boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(bytes.data(), bytes.size());
}

}  // namespace hocket
