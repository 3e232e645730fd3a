// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/program_cache.hpp>

#include "handle.hpp"

namespace hocket::opencl {

/// The compiled programs of a context, by their text; those that the driver can give back are kept
/// on disk as well. Any thread.
class program_store {
 public:
  /// The functions, the context and its devices outlive it. identity says which driver it is.
  program_store(const api& cl, cl_context context, std::vector<cl_device_id> devices,
                std::string identity)
      : cl_(cl), context_(context), devices_(std::move(devices)), identity_(std::move(identity)) {}

  /// Compiles the text unless that was done; may take a second. The program lives as long as the
  /// store.
  [[nodiscard]] result<cl_program> get(const std::string& text, const std::string& kernel,
                                       const std::string& device);

 private:
  [[nodiscard]] handle<cl_program> from_disk(const std::string& key) const;
  [[nodiscard]] cl_int build(cl_program program) const;
  void keep(const std::string& key, cl_program program) const;

  const api& cl_;
  cl_context context_;
  std::vector<cl_device_id> devices_;
  std::string identity_;
  program_cache disk_{"opencl"};
  std::mutex guard_;  // one compilation at a time: drivers allow no more anyway
  std::map<std::string, handle<cl_program>> programs_;
};

}  // namespace hocket::opencl
