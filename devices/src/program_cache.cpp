// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/program_cache.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <boost/uuid/uuid_io.hpp>

#include "cache_room.hpp"
#include "private_files.hpp"
#include "program_entry.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_entry = std::uint64_t{256} << 20U;
constexpr std::uint64_t stores_between_looks = 16;

fs::path entry_of(const fs::path& folder, const std::string& key) {
  return folder / to_string(digest_of(key));
}

}  // namespace

program_cache::program_cache(const std::string& backend)
    : folder_(in_user_cache(fs::path("programs") / backend)) {}

program_cache::program_cache(in_folder folder)
    : folder_(folder.path), max_bytes_(folder.max_bytes) {}

std::optional<std::vector<std::byte>> program_cache::load(const std::string& key) const {
  if (!folder_.is_trusted()) return {};
  const fs::path path = entry_of(folder_.path(), key);
  const file_content content = read_private_file(path, largest_entry);
  if (content.state != file_state::read) return {};
  mark_used(path);
  const std::optional<program_entry> entry = parse_program_entry(content.bytes);
  if (!entry) {
    set_aside(path);
    return {};
  }
  if (entry->key != key) return {};
  const auto* const first = reinterpret_cast<const std::byte*>(entry->program.data());
  return std::vector<std::byte>(first, first + entry->program.size());
}

void program_cache::store(const std::string& key, std::span<const std::byte> program) const {
  if (!folder_.make() || !folder_.is_trusted()) return;
  const std::string entry =
      to_bytes({key, {reinterpret_cast<const char*>(program.data()), program.size()}});
  if (entry.size() > largest_entry) return;
  std::string name = (folder_.path() / "new-XXXXXX").string();
  bool written = false;
  {
    // mkstemp makes a file that only this user may read and write.
    const descriptor file(::mkstemp(name.data()));
    if (!file) return;
    written = write_all(file.get(), entry);
  }
  if (!written || ::rename(name.c_str(), entry_of(folder_.path(), key).c_str()) != 0) {
    ::unlink(name.c_str());
  }
  // The sum is looked at once in a while: a run stores many programs or none.
  if (stores_.fetch_add(1) % stores_between_looks == 0) make_room(folder_.path(), max_bytes_);
}

void program_cache::set_aside(const fs::path& entry) const {
  const fs::path aside = entry.string() + ".damaged";
  const bool moved = ::rename(entry.c_str(), aside.c_str()) == 0;
  if (warned_.exchange(true)) return;
  std::fprintf(stderr, "hocket: The compiled program \"%s\" is damaged; it is %s.\n", entry.c_str(),
               moved ? "set aside under that name with \".damaged\"" : "not used");
}

}  // namespace hocket
