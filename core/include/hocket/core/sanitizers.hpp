// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

/// HOCKET_ADDRESS_SANITIZER and HOCKET_THREAD_SANITIZER are defined where the compiler compiles for
/// the sanitizer: g++ and clang say so in different ways.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOCKET_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define HOCKET_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HOCKET_ADDRESS_SANITIZER
#endif
#ifdef __SANITIZE_THREAD__
#define HOCKET_THREAD_SANITIZER
#endif
