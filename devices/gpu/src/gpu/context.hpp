// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hocket/streams/driver_stream.hpp>

#include "gpu/events.hpp"
#include "gpu/host_moves.hpp"
#include "gpu/memory.hpp"
#include "gpu/pinned_blocks.hpp"
#include "gpu/products.hpp"
#include "gpu/program.hpp"

namespace hocket::gpu {

class context;

/// The driver, and the tables that its devices share.
class driver {
 public:
  driver(std::shared_ptr<const api> functions, std::string version,
         std::shared_ptr<const compiler> with, std::unique_ptr<product_library> products)
      : functions_(std::move(functions)),
        version_(std::move(version)),
        with_(std::move(with)),
        products_(std::move(products)) {}

  [[nodiscard]] const api& functions() const noexcept { return *functions_; }
  /// "12.4".
  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  [[nodiscard]] const std::shared_ptr<const compiler>& with() const noexcept { return with_; }
  [[nodiscard]] product_library& products() noexcept { return *products_; }
  [[nodiscard]] address_table& addresses() noexcept { return addresses_; }
  [[nodiscard]] pinned_blocks& pins() noexcept { return pins_; }
  [[nodiscard]] driver_domain& domain() noexcept { return domain_; }

  /// Lets the device and each that was connected before use one another's memory, where they can.
  void connect_peers(const std::shared_ptr<context>& made);

 private:
  std::shared_ptr<const api> functions_;
  std::string version_;
  std::shared_ptr<const compiler> with_;
  std::unique_ptr<product_library> products_;
  address_table addresses_;
  pinned_blocks pins_;
  driver_domain domain_;
  std::mutex guard_;  // for what follows
  std::vector<std::weak_ptr<context>> opened_;
};

/// The device that a context is opened for.
struct context_place {
  std::shared_ptr<driver> of;
  device_number number = 0;
  std::string architecture;          ///< that programs are compiled for
  std::string machine_code;          ///< that the device runs
  context_handle adopted = nullptr;  ///< a context of the program; null: the primary one
};

/// The primary context of a device, which other libraries in the program use as well; or one that
/// the program has made.
class context {
 public:
  /// Fails where the driver does not start the device. name: of the device.
  [[nodiscard]] static result<std::shared_ptr<context>> open(const context_place& at,
                                                             const std::string& name);
  context(const context_place& at, context_handle object);
  ~context();
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  [[nodiscard]] const api& driver() const noexcept { return of_->functions(); }
  [[nodiscard]] context_handle get() const noexcept { return object_; }
  [[nodiscard]] device_number number() const noexcept { return number_; }
  [[nodiscard]] product_library& products() noexcept { return of_->products(); }
  [[nodiscard]] address_table& addresses() noexcept { return of_->addresses(); }
  [[nodiscard]] pinned_blocks& pins() noexcept { return of_->pins(); }
  [[nodiscard]] driver_domain& domain() noexcept { return of_->domain(); }
  [[nodiscard]] event_pool& events() noexcept { return events_; }
  [[nodiscard]] program_store& programs() noexcept { return programs_; }
  /// The memory of the device, which lives as long as its streams take commands. Null before and
  /// after.
  void set_memory(device_memory* memory) noexcept { memory_ = memory; }
  [[nodiscard]] device_memory* memory() const noexcept { return memory_; }
  /// The context has failed. The driver may still call functions of the host that it was given:
  /// they do nothing from now on, and what they are given stays as long as the context. moves: null
  /// is ignored.
  void cancel(const std::shared_ptr<host_moves>& moves);

 private:
  std::shared_ptr<gpu::driver> of_;
  device_number number_;
  context_handle object_;
  bool is_adopted_;
  event_pool events_;
  program_store programs_;
  device_memory* memory_ = nullptr;
  std::mutex guard_;  // for what follows
  std::vector<std::shared_ptr<host_moves>> cancelled_;
};

/// Makes a context the thread's current one, as most calls want it, and afterwards the one again
/// that was.
class current {
 public:
  explicit current(const context& in)
      : driver_(in.driver()), why_(in.driver().enter(in.get(), before_)) {}
  ~current() {
    if (why_ == success) driver_.leave(before_);
  }
  current(const current&) = delete;
  current& operator=(const current&) = delete;

  /// Why the context is not current; 0 if it is.
  [[nodiscard]] code why() const noexcept { return why_; }

 private:
  const api& driver_;
  context_handle before_ = nullptr;
  code why_;
};

}  // namespace hocket::gpu
