// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/memory/content_state.hpp>

#include <utility>

namespace hocket {

content_state::parts& content_state::divide(const box& all) {
  if (parts_ == nullptr) parts_ = std::make_unique<parts>(all, whole_);
  return *parts_;
}

void content_state::replace(const box& all, const box& region, origin&& now) {
  if (region.empty()) return;
  if (contains(region, all)) {
    whole_ = std::move(now);
    parts_.reset();
  } else {
    divide(all).replace(region, now);
    end_division_if_equal();
  }
}

void content_state::lose(const box& all, const box& region, const failure& why) {
  const auto poison = [&](origin& each) {
    if (each.sound()) each.poison = why;
  };
  if (parts_ == nullptr && contains(region, all)) {
    poison(whole_);
  } else if (!region.empty()) {
    divide(all).change(region, poison);
    end_division_if_equal();
  }
}

void content_state::poison_all(const failure& why) noexcept {
  whole_ = {.written = true, .writer = {}, .poison = why};
  parts_.reset();
}

bool content_state::is_written(const box& region) const {
  if (parts_ == nullptr) return whole_.written || region.empty();
  return parts_->all(region, [](const origin& each) { return each.written; });
}

failure content_state::poison_of(const box& region) const {
  if (parts_ == nullptr) return region.empty() ? failure() : whole_.poison;
  failure first;
  parts_->each(region, [&](const origin& each) {
    if (each.poison && !first) first = each.poison;
  });
  return first;
}

bool content_state::is_sound() const {
  if (parts_ == nullptr) return whole_.sound();
  return !parts_->any([](const origin& each) { return !each.sound(); });
}

bool content_state::forget_writers(function_ref<bool(task_id)> is_live) {
  if (parts_ == nullptr) return false;
  bool any_left = false;
  parts_->change_all([&](origin& each) {
    if (!each.writer.valid()) return;
    if (is_live(each.writer)) {
      any_left = true;
    } else {
      each.writer = {};
    }
  });
  parts_->merge_equal();
  end_division_if_equal();
  return any_left && parts_ != nullptr;
}

void content_state::end_division_if_equal() {
  const origin* const one = parts_->only();
  if (one == nullptr) return;
  whole_ = *one;
  parts_.reset();
}

}  // namespace hocket
