// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Built with what the module memory may see, this must fail: the umbrella belongs to scheduler.
#include <hocket/hocket.hpp>
