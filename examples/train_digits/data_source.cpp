// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data_source.hpp"

#include <array>

#include <fmt/format.h>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

#include "files.hpp"

namespace train {

namespace fs = std::filesystem;

namespace {

constexpr std::array every_kind{dataset_kind::mnist, dataset_kind::optdigits, dataset_kind::digits};

/// The file by which a kind of data is recognised.
std::string sign_of(dataset_kind kind) {
  switch (kind) {
    case dataset_kind::mnist:
      return "train-images-idx3-ubyte";
    case dataset_kind::optdigits:
      return "optdigits.tra";
    case dataset_kind::digits:
      return "digits.csv";
  }
  return {};
}

/// Data of one kind in a folder, or in the folder of it that has the kind's name.
std::optional<fs::path> place_of(dataset_kind kind, const fs::path& folder) {
  for (const fs::path& each : {folder / to_string(kind), folder}) {
    const fs::path sign = packed_or_not(each, sign_of(kind));
    if (is_there(sign)) return kind == dataset_kind::digits ? sign : each;
  }
  return std::nullopt;
}

std::optional<data_source> look_in(const fs::path& folder, std::optional<dataset_kind> wanted,
                                   std::string_view found_by) {
  for (const dataset_kind kind : every_kind) {
    if (wanted && *wanted != kind) continue;
    if (const auto place = place_of(kind, folder)) {
      return data_source{kind, *place, std::string(found_by)};
    }
  }
  return std::nullopt;
}

std::string what_is_looked_for(std::optional<dataset_kind> wanted) {
  if (wanted)
    return fmt::format("{} ({} or {}.gz)", to_string(*wanted), sign_of(*wanted), sign_of(*wanted));
  return "mnist, optdigits or digits";
}

[[noreturn]] void nothing_found(const data_places& places, std::optional<dataset_kind> wanted) {
  std::string looked;
  for (const auto& folder : {places.hocket_data, places.user_data}) {
    if (folder) looked += fmt::format("{}\"{}\"", looked.empty() ? "" : " and ", folder->string());
  }
  throw hocket::error(hocket::failure(
      hocket::failure_code::io,
      fmt::format("There is no data set {} in {}; fetch MNIST with --download, or take the digits "
                  "of Debian's python3-sklearn with scripts/setup, or name a folder with --data or "
                  "HOCKET_DATA_DIR.",
                  what_is_looked_for(wanted), looked.empty() ? "any folder" : looked)));
}

}  // namespace

std::string_view to_string(dataset_kind kind) noexcept {
  switch (kind) {
    case dataset_kind::mnist:
      return "mnist";
    case dataset_kind::optdigits:
      return "optdigits";
    case dataset_kind::digits:
      return "digits";
  }
  return "unknown";
}

data_places data_places::from_environment() {
  data_places places;
  if (const auto folder = hocket::environment_variable("HOCKET_DATA_DIR")) {
    places.hocket_data = *folder;
  }
  const auto xdg = hocket::environment_variable("XDG_DATA_HOME");
  const auto home = hocket::environment_variable("HOME");
  // The XDG specification wants relative paths to be ignored.
  if (xdg && fs::path(*xdg).is_absolute()) {
    places.user_data = fs::path(*xdg) / "hocket";
  } else if (home) {
    places.user_data = fs::path(*home) / ".local/share/hocket";
  }
  return places;
}

data_source find_data(const data_places& places, const std::optional<fs::path>& folder,
                      std::optional<dataset_kind> kind) {
  if (folder) {
    if (auto found = look_in(*folder, kind, "--data")) return *found;
    throw hocket::usage_error(fmt::format("--data is \"{}\"; it must be a folder that holds {}.",
                                          folder->string(), what_is_looked_for(kind)));
  }
  if (places.hocket_data) {
    if (auto found = look_in(*places.hocket_data, kind, "HOCKET_DATA_DIR")) return *found;
  }
  if (places.user_data) {
    if (auto found = look_in(*places.user_data, kind, "the user's data folder")) {
      if (places.hocket_data) {
        found->found_by += fmt::format("; HOCKET_DATA_DIR (\"{}\") holds no {}",
                                       places.hocket_data->string(), what_is_looked_for(kind));
      }
      return *found;
    }
  }
  nothing_found(places, kind);
}

std::string to_string(const data_source& source) {
  return fmt::format("{} in {} (from {})", to_string(source.kind), source.place.string(),
                     source.found_by);
}

split load(const data_source& source) {
  switch (source.kind) {
    case dataset_kind::mnist:
      return load_mnist(source.place);
    case dataset_kind::optdigits:
      return load_optdigits(source.place);
    case dataset_kind::digits:
      return load_digits(source.place);
  }
  throw hocket::usage_error("The kind of data set is none of mnist, optdigits and digits.");
}

fs::path download_folder(const data_places& places) {
  if (places.user_data) return *places.user_data / "mnist";
  throw hocket::error(
      hocket::failure(hocket::failure_code::io,
                      "There is no folder to download to: neither XDG_DATA_HOME nor HOME is set."));
}

}  // namespace train
