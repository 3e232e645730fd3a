// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

#include <cassert>

#include "staging.hpp"
#include "stream.hpp"

namespace hocket::vulkan {

namespace {

/// Puts the address of the device's memory, which the host addresses, in place of its buffer.
std::function<void(copy_command&)> address_of(copy_direction way) {
  return [way](copy_command& what) {
    allocation& own = way == copy_direction::inbound ? what.to : what.from;
    own.chunk = device_memory::chunk(own).mapped;
  };
}

class connected final : public vulkan_device {
 public:
  connected(std::unique_ptr<context> of, const device_numbers& numbers)
      : context_(std::move(of)),
        memory_(*context_),
        imports_(numbers.uses_host_memory ? std::make_unique<import_table>(*context_) : nullptr) {}
  ~connected() override;

  [[nodiscard]] failure start(const device_numbers& numbers, executor& where,
                              completion_sink& sink);

  [[nodiscard]] const device_info& info() const noexcept override { return context_->info(); }
  [[nodiscard]] memory_resource& memory() noexcept override { return memory_; }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override {
    assert(lane == 0);
    (void)lane;
    return *compute_;
  }
  [[nodiscard]] stream& inbound() noexcept override { return *inbound_; }
  [[nodiscard]] stream& outbound() noexcept override { return *outbound_; }
  void forget(const allocation& host) noexcept override {
    if (imports_) imports_->forget(host);
  }
  [[nodiscard]] bool has_driver() const noexcept override { return true; }
  void leave_driver() noexcept override;
  void lose(const failure& why) override { compute_->lose(why); }

 private:
  void close();

  std::unique_ptr<context> context_;
  device_memory memory_;
  std::unique_ptr<import_table> imports_;
  driver_domain domain_;
  std::unique_ptr<launch_stream> compute_;
  std::unique_ptr<threaded_stream> inbound_;
  std::unique_ptr<threaded_stream> outbound_;
};

failure connected::start(const device_numbers& numbers, executor& where, completion_sink& sink) {
  const auto epoch = std::make_shared<host_epoch>(numbers.device, sink);
  auto compute = launch_stream::make(
      {*context_, domain_, where, epoch, numbers.compute.front(), imports_.get()});
  if (!compute) return compute.error();
  compute_ = std::move(compute).value();
  const bool on_host = numbers.uses_host_memory || context_->plan().mapped;
  for (const copy_direction way : {copy_direction::inbound, copy_direction::outbound}) {
    const bool in = way == copy_direction::inbound;
    const threaded_stream::parts parts{domain_,
                                       where,
                                       epoch,
                                       in ? numbers.inbound : numbers.outbound,
                                       info().name + (in ? " in" : " out"),
                                       [this] { compute_->go_on(); }};
    std::unique_ptr<threaded_stream>& made = in ? inbound_ : outbound_;
    if (on_host) {
      made = std::make_unique<host_copy_stream>(
          parts, numbers.uses_host_memory ? nullptr : address_of(way));
      continue;
    }
    auto staging = make_staging(*context_, way);
    if (!staging) return staging.error();
    made = std::make_unique<staged_copy_stream>(parts, std::move(staging).value());
  }
  return {};
}

connected::~connected() { close(); }

void connected::close() {
  // Each before any is destroyed: they may wait for one another.
  if (compute_) compute_->close();
  if (inbound_) inbound_->close();
  if (outbound_) outbound_->close();
}

void connected::leave_driver() noexcept {
  lose(program_ends(info().name));
  close();
  context_->leave_driver();
}

}  // namespace

result<std::unique_ptr<device>> connect_device(const facts& found, std::size_t number,
                                               const options& given, const device_numbers& numbers,
                                               executor& where, completion_sink& sink) {
  auto of = context::make(found, number, given);
  if (!of) return of.error();
  auto made = std::make_unique<connected>(std::move(of).value(), numbers);
  if (failure why = made->start(numbers, where, sink)) return why;
  return std::unique_ptr<device>(std::move(made));
}

}  // namespace hocket::vulkan
