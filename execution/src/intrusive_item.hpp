// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket {

/// The function of bare items that stand for an executor::intrusive_item.
void run_intrusive(void* item);

}  // namespace hocket
