// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/context.hpp"

#include <utility>

#include "gpu/errors.hpp"

namespace hocket::gpu {

namespace {

/// Kernels and copies of one device may use the memory of the other. Where they cannot, the driver
/// copies through the host's memory.
void let_use(const context& user, const context& other) {
  const api& driver = user.driver();
  int can = 0;
  if (driver.can_access_peer(&can, user.number(), other.number()) != success || can == 0) {
    return;
  }
  const current in(user);
  if (in.why() == success) driver.use_memory_of(other.get());
}

}  // namespace

void driver::connect_peers(const std::shared_ptr<context>& made) {
  const std::lock_guard lock(guard_);
  std::erase_if(opened_, [](const std::weak_ptr<context>& each) { return each.expired(); });
  for (const std::weak_ptr<context>& each : opened_) {
    const auto other = each.lock();
    if (other == nullptr || other->number() == made->number()) continue;
    let_use(*made, *other);
    let_use(*other, *made);
  }
  opened_.push_back(made);
}

result<std::shared_ptr<context>> context::open(std::shared_ptr<gpu::driver> of,
                                               device_number number,
                                               const std::string& architecture,
                                               const std::string& name) {
  context_handle object = nullptr;
  const code answer = of->functions().retain(object, number);
  if (answer != success) return failure_of(of->functions(), answer, name, "to start");
  auto made = std::make_shared<context>(of, number, object, architecture);
  of->connect_peers(made);
  return made;
}

context::context(std::shared_ptr<gpu::driver> of, device_number number, context_handle object,
                 const std::string& architecture)
    : of_(std::move(of)),
      number_(number),
      object_(object),
      events_(of_->functions()),
      programs_(of_->functions(), of_->with(), architecture, of_->version(),
                of_->functions().backend()) {}

context::~context() {
  if (driver().gone) return;
  {
    const current in(*this);
    programs_.clear();
    events_.clear();
  }
  driver().release(number_);
}

void context::cancel(const std::shared_ptr<host_moves>& moves) {
  if (moves == nullptr) return;
  moves->cancel();
  const std::lock_guard lock(guard_);
  cancelled_.push_back(moves);
}

}  // namespace hocket::gpu
