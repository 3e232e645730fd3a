// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dataset.hpp"

namespace train {

enum class dataset_kind { mnist, optdigits, digits };

/// As on the command line: mnist, optdigits, digits.
[[nodiscard]] std::string_view to_string(dataset_kind kind) noexcept;

/// Where this machine and this user keep data.
struct data_places {
  std::optional<std::filesystem::path> hocket_data;  ///< HOCKET_DATA_DIR
  std::optional<std::filesystem::path> user_data;    ///< the folder hocket of the XDG data folder

  [[nodiscard]] static data_places from_environment();
};

/// Data that are there; load() says whether they are whole.
struct data_source {
  dataset_kind kind = dataset_kind::mnist;
  std::filesystem::path place;  ///< a folder; of digits, the file
  std::string found_by;         ///< "--data", "HOCKET_DATA_DIR" or "the user's data folder"
};

/// Looks in folder (--data) alone if there is one, else in HOCKET_DATA_DIR, else in the user's data
/// folder; in each for mnist, optdigits and digits, or for the one kind that is asked for. A folder
/// that was given and holds nothing of use is a usage_error; if nothing is found anywhere, the
/// error says what to do.
[[nodiscard]] data_source find_data(const data_places& places,
                                    const std::optional<std::filesystem::path>& folder,
                                    std::optional<dataset_kind> kind);

/// For the user: which data are used, from where and why.
[[nodiscard]] std::string to_string(const data_source& source);

[[nodiscard]] split load(const data_source& source);

/// Where --download puts MNIST. An error if the user has no data folder.
[[nodiscard]] std::filesystem::path download_folder(const data_places& places);

}  // namespace train
