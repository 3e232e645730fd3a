// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hocket/streams/driver_stream.hpp>

#include "memory.hpp"
#include "program.hpp"

namespace hocket::opencl {

/// What the parts of a device share once one of them is connected.
class context {
 public:
  context(std::shared_ptr<const api> cl, handle<cl_context> object,
          std::vector<cl_device_id> devices, std::string identity)
      : cl_(std::move(cl)),
        object_(std::move(object)),
        buffers_(*cl_, object_.get()),
        programs_(*cl_, object_.get(), std::move(devices), std::move(identity)) {}

  [[nodiscard]] const api& cl() const noexcept { return *cl_; }
  [[nodiscard]] cl_context get() const noexcept { return object_.get(); }
  [[nodiscard]] buffer_table& buffers() noexcept { return buffers_; }
  [[nodiscard]] program_store& programs() noexcept { return programs_; }
  [[nodiscard]] driver_domain& domain() noexcept { return domain_; }

 private:
  std::shared_ptr<const api> cl_;
  handle<cl_context> object_;
  buffer_table buffers_;
  program_store programs_;
  driver_domain domain_;
};

/// One more reference to a context; empty if that fails.
[[nodiscard]] handle<cl_context> retained(const api& cl, cl_context object);

/// A device as its driver lists it, whole or split into parts; nothing of it is started until one
/// of them is connected.
class root_device {
 public:
  /// parts: at least one; owned if they were split off. own: a context of the program that has all
  /// parts, or nothing.
  root_device(std::shared_ptr<const api> cl, std::string name, cl_platform_id platform,
              std::vector<cl_device_id> parts, std::vector<handle<cl_device_id>> owned,
              handle<cl_context> own)
      : cl_(std::move(cl)),
        name_(std::move(name)),
        platform_(platform),
        parts_(std::move(parts)),
        owned_(std::move(owned)),
        own_(std::move(own)) {}

  [[nodiscard]] const std::vector<cl_device_id>& parts() const noexcept { return parts_; }

  /// The context of all parts, made by the first call, and again when no device has kept it.
  [[nodiscard]] result<std::shared_ptr<context>> open();

 private:
  [[nodiscard]] result<handle<cl_context>> object() const;

  std::shared_ptr<const api> cl_;
  std::string name_;
  cl_platform_id platform_;
  std::vector<cl_device_id> parts_;
  std::vector<handle<cl_device_id>> owned_;
  handle<cl_context> own_;
  std::mutex guard_;
  std::weak_ptr<context> opened_;
};

}  // namespace hocket::opencl
