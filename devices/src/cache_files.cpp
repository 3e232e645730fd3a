// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "cache_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <boost/uuid/name_generator_sha1.hpp>

#include <hocket/core/environment.hpp>

namespace hocket {

namespace {

namespace fs = std::filesystem;

/// True if it belongs to this user, and no other user may write it.
bool is_trusted(const struct stat& about, mode_t kind) {
  return (about.st_mode & S_IFMT) == kind && about.st_uid == ::geteuid() &&
         (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

descriptor::~descriptor() {
  if (number_ >= 0) ::close(number_);
}

fs::path user_cache(const fs::path& name) {
  fs::path root;
  if (const auto cache = environment_variable("XDG_CACHE_HOME")) root = *cache;
  // The specification of XDG has relative paths ignored.
  if (!root.is_absolute()) {
    const auto home = environment_variable("HOME");
    if (!home || !fs::path(*home).is_absolute()) return {};
    root = fs::path(*home) / ".cache";
  }
  return root / "hocket" / name;
}

bool is_trusted_folder(const fs::path& folder) {
  struct stat about {};
  return ::lstat(folder.c_str(), &about) == 0 && is_trusted(about, S_IFDIR);
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

file_content read_cache_file(const fs::path& path, std::uint64_t max_bytes) {
  // Without O_NONBLOCK a pipe of that name would wait for its writer.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return {file_state::absent, {}};
  if (!file && errno == ELOOP) return {file_state::untrusted, {}};
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0) return {};
  if (!is_trusted(about, S_IFREG)) return {file_state::untrusted, {}};
  if (static_cast<std::uint64_t>(about.st_size) > max_bytes) {
    errno = EFBIG;
    return {};
  }
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got == 0) errno = EIO;
    if (got <= 0) return {};
    done += static_cast<std::size_t>(got);
  }
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

boost::uuids::uuid digest_of(std::string_view bytes) {
  return boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(bytes.data(), bytes.size());
}

}  // namespace hocket
