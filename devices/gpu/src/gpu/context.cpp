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

result<std::shared_ptr<context>> context::open(const context_place& at, const std::string& name) {
  context_handle object = at.adopted;
  if (object == nullptr) {
    const code answer = at.of->functions().retain(object, at.number);
    if (answer != success) return failure_of(at.of->functions(), answer, name, "to start");
  }
  auto made = std::make_shared<context>(at, object);
  at.of->connect_peers(made);
  return made;
}

context::context(const context_place& at, context_handle object)
    : of_(at.of),
      number_(at.number),
      object_(object),
      is_adopted_(at.adopted != nullptr),
      events_(of_->functions()),
      programs_(of_->functions(), of_->with(), at.architecture,
                at.machine_code + " of driver " + of_->version()) {}

context::~context() {
  if (driver().gone) return;
  {
    const current in(*this);
    programs_.clear();
    events_.clear();
  }
  if (!is_adopted_) driver().release(number_);
}

void context::cancel(const std::shared_ptr<host_moves>& moves) {
  if (moves == nullptr) return;
  moves->cancel();
  const std::lock_guard lock(guard_);
  cancelled_.push_back(moves);
}

}  // namespace hocket::gpu
