// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "context.hpp"

#include <utility>

#include "describe.hpp"
#include "errors.hpp"

namespace hocket::cuda {

namespace {

/// Kernels and copies of one device may use the memory of the other. Where they cannot, the driver
/// copies through the host's memory.
void let_use(const context& user, const context& other) {
  const api& driver = user.driver();
  int can = 0;
  if (driver.cuDeviceCanAccessPeer(&can, user.number(), other.number()) != success || can == 0) {
    return;
  }
  const current in(user);
  if (in.why() == success) (void)driver.cuCtxEnablePeerAccess(other.get(), 0);
}

}  // namespace

std::string driver::version() const { return version_text(version_); }

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

result<std::shared_ptr<context>> context::open(std::shared_ptr<cuda::driver> of,
                                               device_number number, int architecture,
                                               const std::string& name) {
  context_handle object = nullptr;
  const code answer = of->functions().cuDevicePrimaryCtxRetain(&object, number);
  if (answer != success) return failure_of(answer, name, "to start");
  auto made = std::make_shared<context>(of, number, object, architecture);
  of->connect_peers(made);
  return made;
}

context::context(std::shared_ptr<cuda::driver> of, device_number number, context_handle object,
                 int architecture)
    : of_(std::move(of)),
      number_(number),
      object_(object),
      events_(of_->functions()),
      programs_(of_->functions(), of_->with(), architecture, of_->version()) {}

context::~context() {
  if (driver().gone) return;
  {
    const current in(*this);
    programs_.clear();
    events_.clear();
  }
  (void)driver().cuDevicePrimaryCtxRelease_v2(number_);
}

void context::cancel(const std::shared_ptr<host_moves>& moves) {
  if (moves == nullptr) return;
  moves->cancel();
  const std::lock_guard lock(guard_);
  cancelled_.push_back(moves);
}

}  // namespace hocket::cuda
