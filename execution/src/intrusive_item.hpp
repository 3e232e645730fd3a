// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket {

/// What a bare item runs that stands for an executor::intrusive_item.
void run_intrusive(void* item);

}  // namespace hocket
