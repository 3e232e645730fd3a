// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The backends of a program, in the order in which their devices are numbered. Each backend N
/// defines a function make_N_backend() that returns a unique pointer to it; the target that is
/// given to hocket_link_backends() in CMake finds them as lines HOCKET_BACKEND(N) in
/// hocket/backends.inc. So this module names none of them.
using backend_list = std::vector<std::unique_ptr<const backend>>;
using candidate_list = std::vector<std::unique_ptr<device_candidate>>;

/// The configurations that are passed to backend::find, by the backend's name.
using backend_configurations = std::map<std::string, std::string>;

/// Those of the backends that names lists, separated by commas, in their own order; all if it is
/// empty. option is what the message of a usage_error for an unknown name calls names.
[[nodiscard]] backend_list select_backends(backend_list all, std::string_view names,
                                           std::string_view option = "HOCKET_BACKENDS");

/// Throws usage_error for a configuration of a backend that the list does not have.
void refuse_unknown(const backend_list& all, const backend_configurations& configurations);

/// The devices of all backends. Throws usage_error for a configuration that its backend refuses;
/// one of a backend that the list does not have is not looked at. names is what select_devices() is
/// to be given: a backend without a configuration is not asked, and opens no driver, once all of
/// them are found. If no device is named, a chip that several backends find is used through the
/// first of them; the others' devices are `twins`.
[[nodiscard]] found_devices find_devices(const backend_list& backends, const executor& where,
                                         const backend_configurations& configurations,
                                         std::string_view names = "",
                                         const adopted_contexts& adopted = {});

/// Those of the usable devices that names lists, separated by commas, in that order; all if it is
/// empty. option is what the message of a usage_error calls names: for a name that no device has
/// (with what was left out), one that stands there twice, or an empty one.
[[nodiscard]] candidate_list select_devices(found_devices found, std::string_view names,
                                            std::string_view option = "HOCKET_VISIBLE_DEVICES");

}  // namespace hocket
