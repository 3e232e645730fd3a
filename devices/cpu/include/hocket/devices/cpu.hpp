// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The NUMA nodes of this machine, one device for each arena of the executor: `NUMA0`, ...
///
/// Its configuration is "lanes=1,memory=4G,flops=20G,bandwidth=10G,launch=1us,depth=2", each part
/// of which may be absent, and holds for every node. flops (single precision) and bandwidth are
/// those of one lane; without a virtual clock they are only first guesses.
[[nodiscard]] std::unique_ptr<const backend> make_cpu_backend();

}  // namespace hocket
