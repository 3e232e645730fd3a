// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <hocket/core/result.hpp>
#include <hocket/devices/program_cache.hpp>

#include "compiler.hpp"
#include "handle.hpp"

namespace hocket::cuda {

/// The compiled programs of a context, by their text; their PTX is kept on disk as well. Any
/// thread, in which the context is current.
class program_store {
 public:
  /// The functions and the context outlive it. The PTX is for this architecture; driver names the
  /// version.
  program_store(const api& driver, std::shared_ptr<const compiler> with, int architecture,
                const std::string& version)
      : driver_(driver),
        with_(std::move(with)),
        architecture_(architecture),
        identity_(with_->identity(architecture) + "\ndriver " + version) {}

  /// The function hocket_main of the text, which is compiled unless that was done; may take a
  /// second. The function lives as long as the store.
  [[nodiscard]] result<function_handle> get(const std::string& text, const std::string& kernel,
                                            const std::string& device);
  /// Unloads all, before the context goes.
  void clear() noexcept { programs_.clear(); }

  [[nodiscard]] int architecture() const noexcept { return architecture_; }

 private:
  struct program {
    handle<module_handle> module;
    function_handle main = nullptr;
  };

  [[nodiscard]] code load(const std::string& ptx, program& made, std::string& log) const;
  [[nodiscard]] bool load_from_disk(const std::string& key, program& made) const;

  const api& driver_;
  std::shared_ptr<const compiler> with_;
  int architecture_;
  std::string identity_;
  program_cache disk_{"cuda"};
  std::mutex guard_;  // one compilation at a time
  std::map<std::string, program> programs_;
};

}  // namespace hocket::cuda
