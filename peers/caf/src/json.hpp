// The part of JSON (RFC 8259) that the peer protocol needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scoville::json {

class Value;

/// A number as it was written. Kept as text, so that a message about it shows what was sent.
struct Number {
  std::string text;
};

using Array = std::vector<Value>;
/// Keys in sorted order: what has to come in another order is written by hand.
using Object = std::map<std::string, Value, std::less<>>;

/// A parsed JSON value.
class Value {
 public:
  using Data = std::variant<std::nullptr_t, bool, Number, std::string, Array, Object>;

  Value() = default;
  /// T is one of the alternatives of Data.
  template <class T>
  explicit Value(T x) : data_{std::in_place_type<T>, std::move(x)} {}

  /// The members of an object, the characters of a string, the truth of a boolean; null for any other value.
  [[nodiscard]] const Object* object() const noexcept { return std::get_if<Object>(&data_); }
  [[nodiscard]] const std::string* string() const noexcept { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const bool* boolean() const noexcept { return std::get_if<bool>(&data_); }

  /// The value of a number without fraction and exponent that fits 64 bits; nothing for any other value.
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;

  /// The value of a number as a 64-bit float, rounded; nothing for one that is too big and for any other
  /// value.
  [[nodiscard]] std::optional<double> number() const noexcept;

  /// Compact JSON; numbers as they were read.
  [[nodiscard]] std::string text() const;

 private:
  Data data_ = nullptr;
};

/// What is wrong with a text, and at which byte.
class SyntaxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses exactly one value with nothing but white space around it. Throws SyntaxError.
[[nodiscard]] Value parse(std::string_view text);

/// A string with its quotes.
[[nodiscard]] std::string quote(std::string_view raw);

/// A float with 17 significant digits, so that it is read back bit by bit. Throws std::domain_error unless
/// finite.
[[nodiscard]] std::string number(double x);

} // namespace scoville::json
