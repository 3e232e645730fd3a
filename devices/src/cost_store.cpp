// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/cost_store.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

#include <hocket/core/printable.hpp>

#include "cost_text.hpp"
#include "private_files.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr double small_change = 1.0 / 8;
// For the store, while another process has it.
constexpr std::chrono::milliseconds longest_wait{100};

auto key_of(const launch_cost& of) {
  return std::make_tuple(std::string_view(of.device), std::string_view(of.kernel),
                         std::string_view(of.definition), of.done.size());
}

auto key_of(const copy_cost& of) {
  return std::make_tuple(std::string_view(of.from), std::string_view(of.to),
                         size_class(static_cast<double>(of.bytes)));
}

bool is_close(nanoseconds a, nanoseconds b) {
  const auto first = static_cast<double>(a.count()), second = static_cast<double>(b.count());
  return std::abs(first - second) <= small_change * first;
}

/// True if there is a cost for the same, of about the same time.
template <class Cost>
bool has_like(const std::vector<Cost>& all, const Cost& wanted) {
  return std::ranges::any_of(all, [&](const Cost& each) {
    return key_of(each) == key_of(wanted) && is_close(each.time, wanted.time);
  });
}

template <class Cost>
bool has_all(const std::vector<Cost>& all, const std::vector<Cost>& wanted) {
  return std::ranges::all_of(wanted, [&](const Cost& each) { return has_like(all, each); });
}

/// Both lists as one: measured costs come first, then kept ones, as far as there is room.
template <class Cost>
std::vector<Cost> merged(const std::vector<Cost>& measured, const std::vector<Cost>& kept,
                         std::size_t most) {
  std::vector<Cost> made;
  std::set<decltype(key_of(std::declval<const Cost&>()))> known;
  for (const std::vector<Cost>* from : {&measured, &kept}) {
    for (const Cost& each : *from) {
      if (made.size() < most && known.insert(key_of(each)).second) made.push_back(each);
    }
  }
  return made;
}

own_folder folder_for(std::string_view asked) {
  if (asked == "off") return {};
  if (asked.empty()) return in_user_cache("costs");
  // The program may go to another folder before it ends.
  std::error_code problem;
  const fs::path absolute = fs::absolute(asked, problem);
  return own_folder(problem ? fs::path(asked) : absolute);
}

std::string reason() { return std::string(" (") + std::strerror(errno) + ")"; }

constexpr const char* advice = "; HOCKET_COSTS says where they are kept, or \"off\"";

}  // namespace

cost_store::cost_store(std::string_view asked) : folder_(folder_for(asked)) {}

void cost_store::warn(const std::string& what) const {
  if (warned_.exchange(true)) return;
  std::fprintf(stderr, "hocket: %s.\n", what.c_str());
}

std::optional<cost_table> cost_store::read(bool* is_readable) const {
  std::error_code unknown;
  if (!folder_.is_trusted()) {
    if (fs::exists(fs::symlink_status(folder_.path(), unknown))) {
      warn("The costs in " + in_quotes(folder_.path().string()) +
           " are not used, because that is no folder of this user that others cannot write" +
           advice);
    }
    return cost_table{};
  }
  const file_content content = read_private_file(file(), largest_costs);
  if (content.state == file_state::read) return parse_costs(content.bytes);
  if (content.state == file_state::unreadable) {
    // No store writes so much, and waiting does not make it smaller.
    if (errno == EFBIG) return {};
    if (is_readable != nullptr) *is_readable = false;
    warn("The costs in " + in_quotes(file().string()) + " cannot be read" + reason() +
         ", so that they stay as they are and no others are kept there" + advice);
  } else if (content.state == file_state::untrusted) {
    warn("The costs in " + in_quotes(file().string()) +
         " are not used, because that is no file of this user that others cannot write" + advice);
  }
  return cost_table{};
}

cost_table cost_store::load() const {
  if (!is_on()) return {};
  if (std::optional<cost_table> made = read()) return *std::move(made);
  const folder_lock lock(folder_.path(), longest_wait);
  // Another process may have replaced the file meanwhile.
  std::optional<cost_table> made = read();
  if (!made && !lock.is_busy()) set_aside();
  return std::move(made).value_or(cost_table{});
}

void cost_store::set_aside() const {
  const bool moved = ::rename(file().c_str(), (file().string() + ".damaged").c_str()) == 0;
  warn("The costs in " + in_quotes(file().string()) + " are damaged; they are " +
       (moved ? "set aside under that name with \".damaged\"" : "not used"));
}

void cost_store::merge(const cost_table& all) const {
  cost_table measured = all;
  std::erase_if(measured.launches, [](const launch_cost& each) { return !is_sound(each); });
  std::erase_if(measured.copies, [](const copy_cost& each) { return !is_sound(each); });
  if (!is_on() || (measured.launches.empty() && measured.copies.empty())) return;
  if (!folder_.make()) {
    return warn("Costs cannot be kept in " + in_quotes(folder_.path().string()) + reason() +
                advice);
  }
  bool is_readable = true;
  const std::optional<cost_table> before = read(&is_readable);
  if (!is_readable) return;
  if (before && has_all(before->launches, measured.launches) &&
      has_all(before->copies, measured.copies)) {
    return;
  }
  if (!folder_.is_trusted()) return;  // which was said
  const folder_lock lock(folder_.path(), longest_wait);
  if (lock.is_busy()) return;
  if (!lock.is_held()) {
    return warn("Costs cannot be kept in " + in_quotes(folder_.path().string()) + reason() +
                advice);
  }
  std::optional<cost_table> read_now = read(&is_readable);
  if (!is_readable) return;
  if (!read_now) set_aside();
  const cost_table kept = std::move(read_now).value_or(cost_table{});
  if (!replace({merged(measured.launches, kept.launches, max_launches),
                merged(measured.copies, kept.copies, max_copies)})) {
    warn("Costs cannot be kept in " + in_quotes(file().string()) + reason() + advice);
  }
}

/// The lock is held, so that no other process uses the name of the new file.
bool cost_store::replace(const cost_table& all) const {
  const std::string text = to_text(all);
  const std::string_view content = text;
  return replace_file(file(), file().string() + ".new", {&content, 1}, durability::system);
}

}  // namespace hocket
