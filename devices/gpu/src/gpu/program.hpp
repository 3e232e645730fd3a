// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <hocket/core/result.hpp>
#include <hocket/devices/program_cache.hpp>

#include "gpu/compiler.hpp"
#include "gpu/handle.hpp"

namespace hocket::gpu {

/// The compiled programs of a context, by their text; their machine code is kept on disk. Any
/// thread, in which the context is current.
class program_store {
 public:
  /// The functions and the context outlive it. Programs are for this architecture; made_by: what
  /// machine code of them depends on, the device and the version of the driver. What is on disk is
  /// kept by the name of the backend.
  program_store(const api& driver, std::shared_ptr<const compiler> with, std::string architecture,
                const std::string& made_by)
      : driver_(driver),
        with_(std::move(with)),
        architecture_(std::move(architecture)),
        identity_(with_->identity(architecture_) + "\nmachine code " + made_by),
        disk_(driver.backend()) {}

  /// The function hocket_main of the text, which is compiled unless that was done; may take a
  /// second. The function lives as long as the store.
  [[nodiscard]] result<function_handle> get(const std::string& text, const std::string& kernel,
                                            const std::string& device);
  /// Unloads all, before the context goes.
  void clear() noexcept { programs_.clear(); }

  [[nodiscard]] const compiler& with() const noexcept { return *with_; }
  [[nodiscard]] const std::string& architecture() const noexcept { return architecture_; }

 private:
  struct program {
    handle<module_handle> module;
    function_handle main = nullptr;
  };

  [[nodiscard]] code load(const std::string& binary, program& made, std::string& log) const;
  [[nodiscard]] bool load_from_disk(const std::string& key, const std::string& device,
                                    program& made);

  const api& driver_;
  std::shared_ptr<const compiler> with_;
  std::string architecture_;
  std::string identity_;
  program_cache disk_;
  std::mutex guard_;  // one compilation at a time
  std::map<std::string, program> programs_;
  bool has_warned_ = false;  ///< of a program on disk that the driver refuses
};

}  // namespace hocket::gpu
