// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/argument_tail.hpp"

#include <memory>
#include <utility>

#include "data/unfit_number.hpp"

namespace hocket::detail {

void argument_tail::make_rare(const borrowed_launch& what) const {
  rare_arguments& made = *::new (&rare()) rare_arguments(rare_arguments::of(what));
  if (made.box != nullptr) intrusive_ptr_add_ref(made.box);
  box* part = made.first_region();
  for (std::size_t i = 0; i < what.accesses.size(); ++i) {
    const box* const where = what.accesses[i].part;
    if (where != nullptr) uses()[i].part = ::new (part++) box(*where);
  }
  awaited_number* later = made.all_awaited().data();
  for (std::uint32_t i = 0; i < counts_.numbers; ++i) {
    const borrowed_number& each = what.numbers[i];
    if (each.from != nullptr) ::new (later++) awaited_number{*each.from, each.convert, i};
  }
  if (made.has_function) ::new (made.function()) launch_function(std::move(*what.function.body));
}

void argument_tail::convert_numbers(const kernel_definition& kernel, std::string_view label) const {
  for (const awaited_number& each : rare().all_awaited()) {
    scalar_argument& number = numbers()[each.index];
    number = convert_number_for({kernel, each.index, label}, each.convert, each.source->value(),
                                number.type);
  }
}

void argument_tail::release_rare() const noexcept {
  for (awaited_number& each : rare().all_awaited()) each.source.reset();
  if (rare().has_function) *rare().function() = nullptr;
}

void argument_tail::destroy_rare() const noexcept {
  std::destroy(rare().all_awaited().begin(), rare().all_awaited().end());
  std::destroy_n(rare().first_region(), rare().regions);
  if (rare().box != nullptr) intrusive_ptr_release(rare().box);
  if (rare().has_function) std::destroy_at(rare().function());
}

}  // namespace hocket::detail
