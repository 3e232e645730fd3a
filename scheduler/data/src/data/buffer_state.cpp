// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/buffer_state.hpp>

#include "data/data_runtime.hpp"
#include "data/in_place_history.hpp"
#include "data/in_place_runtime.hpp"

namespace hocket::detail {

buffer_state::buffer_state(const std::shared_ptr<data_runtime>& owner, element_type type,
                           const index_list& extents, std::string label)
    : buffer_state(owner, {type, extents, nullptr}, std::move(label)) {}

buffer_state::buffer_state(const std::shared_ptr<data_runtime>& owner, memory_offer&& offer,
                           std::string label)
    : buffer_state(owner, {offer.type, offer.array, &offer}, std::move(label)) {}

buffer_state::buffer_state(const std::shared_ptr<data_runtime>& owner, const parts& from,
                           std::string label)
    : owner_(owner),
      home_(owner.get()),
      all_(part_of_array(from.type, from.extents, box::whole(from.extents))),
      id_{owner->next_number()},
      elements_(volume(from.extents)) {
  const index_list& extents = from.extents;
  const element_type type = from.type;
  label_ = label.empty() ? "buffer " + std::to_string(id_.value) : std::move(label);
  if (__builtin_mul_overflow(elements_, size_of(type), &bytes_)) {
    throw usage_error("Buffer \"" + label_ + "\" of " + to_string(extents) + " elements of " +
                      to_string(type) + " has more bytes than a size_t can count.");
  }
  // The devices connect here, if they have not.
  in_place_runtime* const in_place = owner->in_place();
  lent_memory_ptr lent;
  if (from.offer != nullptr) {
    lent = new lent_memory(owner->lent(), std::move(*from.offer), label_);
    is_constant_ = lent->is_constant();
  }
  if (in_place != nullptr) {
    order_ =
        in_place->make_order(whole(), bytes_, {nullptr, type, extents, strides()}, std::move(lent));
  } else {
    owner->add_data(*this, std::move(lent));
  }
}

buffer_state::~buffer_state() {
  if (order_ != nullptr) return;
  if (const auto home = owner_.lock()) home->drop_data(id_);
}

std::shared_ptr<data_runtime> buffer_state::owner() const {
  std::shared_ptr<data_runtime> home = owner_.lock();
  if (home == nullptr || !home->is_open()) {
    throw usage_error("Buffer \"" + label_ + "\" is used after its runtime is gone.");
  }
  return home;
}

void refuse_empty_buffer() {
  throw usage_error(
      "A handle of a buffer, or of a region, is used while it is empty: it was made "
      "without a buffer, or moved from.");
}

void refuse_constant_buffer(const buffer_state& data) {
  throw usage_error("Buffer \"" + data.label() +
                    "\" lies over constant memory of the program, and is to be written.");
}

void check_region(const buffer_state& data, const box& whole, const box& part) {
  // An empty part lies somewhere too.
  bool lies_within = true;
  for (std::size_t d = 0; d < part.rank(); ++d) {
    lies_within = lies_within && whole.begin[d] <= part.begin[d] && part.begin[d] <= part.end[d] &&
                  part.end[d] <= whole.end[d];
  }
  if (lies_within) return;
  throw usage_error("Region " + to_string(part) + " is not within " + to_string(whole) +
                    " of buffer \"" + data.label() + "\" (" + to_string(data.extents()) + ").");
}

}  // namespace hocket::detail
