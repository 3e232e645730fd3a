// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

#include <cassert>

#include "staging.hpp"
#include "stream.hpp"

namespace hocket::vulkan {

namespace {

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
  std::unique_ptr<host_ordered_stream> inbound_;
  std::unique_ptr<host_ordered_stream> outbound_;
};

failure connected::start(const device_numbers& numbers, executor& where, completion_sink& sink) {
  const device_stream::parts parts{*context_, domain_, where,
                                   std::make_shared<host_epoch>(numbers.device, sink)};
  auto compute = launch_stream::make(parts, numbers.compute.front(), imports_.get());
  if (!compute) return compute.error();
  compute_ = std::move(compute).value();
  const bool on_host = numbers.uses_host_memory || context_->plan().mapped;
  const auto copies = [&](stream_id id,
                          copy_direction way) -> result<std::unique_ptr<host_ordered_stream>> {
    const std::string thread = info().name + (way == copy_direction::inbound ? " in" : " out");
    if (!on_host) return staged_copy_stream::make(parts, id, way, thread, *compute_);
    host_copies how{thread, nullptr, [this] { compute_->go_on(); }};
    if (!numbers.uses_host_memory) {
      how.address = [way](copy_command& what) {
        allocation& own = way == copy_direction::inbound ? what.to : what.from;
        own.chunk = device_memory::chunk(own).mapped;
      };
    }
    return std::unique_ptr<host_ordered_stream>(
        std::make_unique<host_copy_stream>(domain_, where, parts.epoch, id, std::move(how)));
  };
  auto inbound = copies(numbers.inbound, copy_direction::inbound);
  if (!inbound) return inbound.error();
  inbound_ = std::move(inbound).value();
  auto outbound = copies(numbers.outbound, copy_direction::outbound);
  if (!outbound) return outbound.error();
  outbound_ = std::move(outbound).value();
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
