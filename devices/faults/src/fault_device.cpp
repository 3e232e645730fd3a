// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "fault_device.hpp"

namespace hocket::faults {

void fault_sink::add(std::shared_ptr<fault_stream> made) {
  const std::lock_guard lock(guard_);
  streams_.push_back(std::move(made));
}

void fault_sink::completed(stream_id stream, std::uint64_t value, const command_result& how) {
  if (const auto of = home_->find(stream)) of->ended(value, how);
  to_.completed(stream, value, how);
  home_->ended();
}

void fault_sink::completed_in_a_row(stream_id stream, std::uint64_t first,
                                    std::span<const command_result> how) {
  if (const auto of = home_->find(stream)) {
    for (std::size_t i = 0; i < how.size(); ++i) of->ended(first + i, how[i]);
  }
  to_.completed_in_a_row(stream, first, how);
  home_->ended();
}

void fault_sink::left(stream_id stream, std::uint64_t value, time_stamp when) {
  to_.left(stream, value, when);
  home_->ended();
}

void fault_sink::ended_apart(stream_id stream, std::uint64_t value, const command_result& how) {
  to_.ended_apart(stream, value, how);
}

void fault_sink::device_lost(device_id device, const failure& why) {
  std::vector<std::shared_ptr<fault_stream>> lost;
  {
    const std::lock_guard lock(guard_);
    lost = streams_;
  }
  for (const auto& each : lost) each->drop();
  to_.device_lost(device, why);
  home_->ended();
}

void loser::lose(const injected_fault& fault) {
  if (is_lost_.exchange(true)) return;
  const std::lock_guard lock(guard_);
  if (of_ == nullptr) return;
  home_->counts().add(fault_action::lose, fault.rule);
  of_->lose(fault.why);
}

void loser::close() {
  const std::lock_guard lock(guard_);
  of_ = nullptr;
}

result<allocation> fault_memory::allocate(std::size_t bytes, std::size_t alignment) {
  constexpr fault_call call = fault_call::allocation;
  const auto fault = given_.rules.next({&call, 1}, given_.where.now() - given_.connected);
  if (fault && fault->action == fault_action::lose) given_.lose(*fault);
  if (fault && fault->action == fault_action::fail) return fault->why;
  return inner_.allocate(bytes, alignment);
}

fault_device::fault_device(std::shared_ptr<hub> home, device_info info, executor& where,
                           completion_sink& sink)
    : home_(std::move(home)),
      info_(std::move(info)),
      where_(where),
      sink_(home_, sink),
      rules_(home_->plan(), home_->counts(), info_.name, info_.can_be_lost) {}

fault_device::~fault_device() {
  if (inner_ == nullptr) return;
  loser_->close();
  home_->close();
  inner_.reset();
}

void fault_device::open(std::unique_ptr<device> inner) {
  inner_ = std::move(inner);
  loser_ = std::make_shared<loser>(home_, *inner_);
  const fault_stream::parts given{
      home_,  rules_,       info_,
      where_, where_.now(), [loser = loser_](const injected_fault& f) { loser->lose(f); }};
  memory_ = std::make_unique<fault_memory>(given, inner_->memory());
  for (std::size_t lane = 0; lane < info_.lanes; ++lane) {
    compute_.push_back(made(given, inner_->compute(lane), fault_call::copy));
  }
  inbound_ = made(given, inner_->inbound(), fault_call::copy_in);
  outbound_ = made(given, inner_->outbound(), fault_call::copy_out);
  lose_in_time(given);
}

std::shared_ptr<fault_stream> fault_device::made(const fault_stream::parts& given, stream& inner,
                                                 fault_call copies) {
  auto stream = std::make_shared<fault_stream>(given, inner, copies);
  home_->add(inner.time().stream(), stream);
  sink_.add(stream);
  return stream;
}

void fault_device::lose_in_time(const fault_stream::parts& given) {
  for (const device_rules::timed_loss& each : rules_.timed_losses()) {
    where_.post_at(given.connected + each.after,
                   [weak = std::weak_ptr<loser>(loser_), fault = each.fault] {
                     if (const auto self = weak.lock()) self->lose(fault);
                   });
  }
}

}  // namespace hocket::faults
