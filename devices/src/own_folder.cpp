// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/own_folder.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <hocket/core/environment.hpp>

#include "private_files.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

/// True if what this user makes in the folder stays there: the folder is this user's, or has the
/// bit by which no other user may rename it, as /tmp does.
bool may_keep_folders(const fs::path& folder) {
  struct stat about {};
  return ::stat(folder.empty() ? "." : folder.c_str(), &about) == 0 &&
         (about.st_uid == ::geteuid() || (about.st_mode & S_ISVTX) != 0);
}

}  // namespace

own_folder in_user_cache(const fs::path& name) {
  const fs::path below = "hocket" / name;
  fs::path root;
  if (const auto cache = environment_variable("XDG_CACHE_HOME")) root = *cache;
  // The specification of XDG has relative paths ignored.
  if (root.is_absolute()) return {root, below};
  const auto home = environment_variable("HOME");
  if (!home || !fs::path(*home).is_absolute()) return {};
  return {fs::path(*home) / ".cache", below};
}

own_folder::own_folder(fs::path root, const fs::path& name)
    : root_(std::move(root)), path_(root_ / name) {}

own_folder::own_folder(const fs::path& path)
    // "folder/" would be what a link with that name leads to.
    : path_(path.has_filename() ? path : path.parent_path()) {
  root_ = path_.parent_path();
}

bool own_folder::is_below_root(const fs::path& folder) const {
  return folder.native().size() > root_.native().size();
}

bool own_folder::is_trusted() const {
  struct stat about {};
  for (fs::path at = path_; is_below_root(at); at = at.parent_path()) {
    if (::lstat(at.c_str(), &about) != 0 || !is_private(about, S_IFDIR)) return false;
  }
  return !path_.empty();
}

bool own_folder::make() const { return !path_.empty() && make(path_); }

bool own_folder::make(const fs::path& folder) const {
  if (!is_below_root(folder)) return folder.empty() || make_folder(folder);
  const fs::path parent = folder.parent_path();
  if (!make(parent)) return false;
  struct stat about {};
  if (::lstat(folder.c_str(), &about) == 0) {
    errno = ENOTDIR;
    return S_ISDIR(about.st_mode);
  }
  if (!may_keep_folders(parent)) {
    errno = EPERM;
    return false;
  }
  return ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST;
}

}  // namespace hocket
