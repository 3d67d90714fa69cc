// Bytes that are sent round, in `pingping` and `pairs`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace scoville {

/// A payload that was sent is never changed.
using Payload = std::shared_ptr<const std::vector<std::uint8_t>>;

/// A payload as the first sender makes it.
[[nodiscard]] inline Payload fresh_payload(std::int64_t size) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(7 * i + 3);
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

/// What is sent after a payload was received: a new copy in which byte i is one more, or, if it is shared,
/// the payload itself.
[[nodiscard]] inline Payload pass_on(Payload payload, std::int64_t i, bool share) {
  if (share)
    return payload;
  auto changed = std::make_shared<std::vector<std::uint8_t>>(*payload);
  auto& byte = (*changed)[static_cast<std::size_t>(i)];
  byte = static_cast<std::uint8_t>(byte + 1);
  return changed;
}

} // namespace scoville
