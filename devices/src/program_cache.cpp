// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/program_cache.hpp>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <boost/uuid/uuid_io.hpp>

#include "cache_room.hpp"
#include "private_files.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> magic{'h', 'o', 'c', 'k', 'e', 't', 'P', '1'};
constexpr std::uint64_t largest_entry = std::uint64_t{256} << 20U;
constexpr std::uint64_t stores_between_looks = 16;

/// An entry is this, the key and the program.
struct entry_header {
  std::array<char, 8> magic{};
  std::uint64_t key_bytes = 0;
  std::uint64_t program_bytes = 0;
  std::array<std::uint8_t, 16> digest{};  // of the key and the program
};

fs::path entry_of(const fs::path& folder, const std::string& key) {
  return folder / to_string(digest_of(key));
}

/// The key and the program, if the entry is whole.
std::optional<std::pair<std::string_view, std::string_view>> parse(std::string_view entry) {
  entry_header header;
  if (entry.size() < sizeof header) return {};
  std::memcpy(&header, entry.data(), sizeof header);
  entry.remove_prefix(sizeof header);
  if (header.magic != magic || header.key_bytes > entry.size() ||
      header.program_bytes != entry.size() - header.key_bytes) {
    return {};
  }
  const boost::uuids::uuid digest = digest_of(entry);
  if (std::memcmp(&digest, header.digest.data(), sizeof digest) != 0) return {};
  return std::pair(entry.substr(0, header.key_bytes), entry.substr(header.key_bytes));
}

}  // namespace

program_cache::program_cache(const std::string& backend)
    : folder_(user_cache(fs::path("programs") / backend)) {}

program_cache::program_cache(in_folder folder)
    : folder_(std::move(folder.path)), max_bytes_(folder.max_bytes) {}

std::optional<std::vector<std::byte>> program_cache::load(const std::string& key) const {
  if (folder_.empty() || !is_trusted_folder(folder_)) return {};
  const fs::path path = entry_of(folder_, key);
  const file_content content = read_private_file(path, largest_entry);
  if (content.state != file_state::read) return {};
  mark_used(path);
  const auto parts = parse(content.bytes);
  if (!parts) {
    set_aside(path);
    return {};
  }
  const auto& [stored_key, program] = *parts;
  if (stored_key != key) return {};
  const auto* const first = reinterpret_cast<const std::byte*>(program.data());
  return std::vector<std::byte>(first, first + program.size());
}

void program_cache::store(const std::string& key, std::span<const std::byte> program) const {
  if (!make_folder(folder_) || !is_trusted_folder(folder_)) return;
  std::string body = key;
  body.append(reinterpret_cast<const char*>(program.data()), program.size());
  entry_header header{magic, key.size(), program.size(), {}};
  if (sizeof header + body.size() > largest_entry) return;
  const boost::uuids::uuid digest = digest_of(body);
  std::memcpy(header.digest.data(), &digest, sizeof digest);
  std::string name = (folder_ / "new-XXXXXX").string();
  bool written = false;
  {
    // mkstemp makes a file that only this user may read and write.
    const descriptor file(::mkstemp(name.data()));
    if (!file) return;
    written = write_all(file.get(), {reinterpret_cast<const char*>(&header), sizeof header}) &&
              write_all(file.get(), body);
  }
  if (!written || ::rename(name.c_str(), entry_of(folder_, key).c_str()) != 0) {
    ::unlink(name.c_str());
  }
  // The sum is looked at once in a while: a run stores many programs or none.
  if (stores_.fetch_add(1) % stores_between_looks == 0) make_room(folder_, max_bytes_);
}

void program_cache::set_aside(const fs::path& entry) const {
  const fs::path aside = entry.string() + ".damaged";
  const bool moved = ::rename(entry.c_str(), aside.c_str()) == 0;
  if (warned_.exchange(true)) return;
  std::fprintf(stderr, "hocket: The compiled program \"%s\" is damaged; it is %s.\n", entry.c_str(),
               moved ? "set aside under that name with \".damaged\"" : "not used");
}

}  // namespace hocket
