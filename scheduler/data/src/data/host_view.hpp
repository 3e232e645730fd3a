// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/scheduler/host_view.hpp>

#include "data/held_view.hpp"

namespace hocket::detail {

class data_runtime;

/// A view that was opened and is now held by the calling stack. Its content is at the address. Of
/// the description of the view only the number or the node is given.
[[nodiscard]] std::unique_ptr<open_host_view> hold_view(const std::shared_ptr<data_runtime>& home,
                                                        const region_ref& what, void* address,
                                                        held_view view);

}  // namespace hocket::detail
