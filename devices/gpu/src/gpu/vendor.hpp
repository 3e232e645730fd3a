// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <hocket/devices/backend.hpp>
#include <hocket/devices/configuration.hpp>

#include "gpu/describe.hpp"

namespace hocket::gpu {

/// The options of a configuration.
struct options {
  std::optional<std::uint64_t> memory;
  std::optional<std::string> driver, compiler, blas;
  bool allows_tf32 = false;
};

/// The steps that a vendor's backend does in its own way when its devices are asked for. Any
/// thread.
class vendor {
 public:
  vendor() = default;
  virtual ~vendor() = default;
  vendor(const vendor&) = delete;
  vendor& operator=(const vendor&) = delete;

  [[nodiscard]] virtual std::string backend() const = 0;  ///< "cuda"
  [[nodiscard]] virtual std::string title() const = 0;    ///< "CUDA"
  /// Throws usage_error for a wrong configuration.
  [[nodiscard]] virtual options parse(const std::string& configuration) const = 0;

  /// The files are those of the options. Version: of the driver, in its own numbers.
  [[nodiscard]] virtual result<std::shared_ptr<const api>> load_driver(
      const std::optional<std::string>& file) const = 0;
  [[nodiscard]] virtual result<std::shared_ptr<const compiler>> load_compiler(
      const std::optional<std::string>& file, int version) const = 0;
  [[nodiscard]] virtual std::unique_ptr<product_library> products(const options& given,
                                                                  int version) const = 0;

  /// The contexts of the vendor in the list, by their devices. Throws usage_error for one whose
  /// device its driver does not tell, and for a device that two of them have.
  [[nodiscard]] virtual std::map<device_number, context_handle> adopted(
      const api& /*driver*/, const adopted_contexts& /*given*/) const {
    return {};
  }

  /// As gpu::describe.
  [[nodiscard]] virtual described describe(const driver& of, device_number device,
                                           std::string& why) const = 0;

  /// "the driver and the kernel module of NVIDIA have to be of one version".
  [[nodiscard]] virtual std::string when_it_does_not_start() const = 0;
  /// "CUDA_VISIBLE_DEVICES may hide some".
  [[nodiscard]] virtual std::string when_there_are_none() const = 0;
};

/// The value of a key that names a file. Throws usage_error for an empty one: the loader takes it
/// for the program itself.
[[nodiscard]] std::optional<std::string> file_of(configuration_reader& reader,
                                                 const std::string& backend, const char* key);

[[nodiscard]] std::unique_ptr<const backend> backend_of(std::unique_ptr<const vendor> who);

}  // namespace hocket::gpu
