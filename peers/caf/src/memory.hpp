// The memory of this process as the kernel sees it.
#pragma once

#include <cstdint>

namespace scoville {

/// Resident set size in bytes. Throws std::runtime_error where the kernel does not tell.
[[nodiscard]] std::int64_t resident_bytes();

} // namespace scoville
