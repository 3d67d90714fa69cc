#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace scoville::json {

namespace {

constexpr int max_depth = 64;

// What follows the backslash, and what it stands for.
constexpr std::string_view escape_names = "\"\\/bfnrt";
constexpr std::string_view escape_values = "\"\\/\b\f\n\r\t";

[[nodiscard]] bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, std::uint32_t point) {
  auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0U | point >> 6U);
    put(0x80U | (point & 0x3FU));
  } else if (point < 0x10000) {
    put(0xE0U | point >> 12U);
    put(0x80U | (point >> 6U & 0x3FU));
    put(0x80U | (point & 0x3FU));
  } else {
    put(0xF0U | point >> 18U);
    put(0x80U | (point >> 12U & 0x3FU));
    put(0x80U | (point >> 6U & 0x3FU));
    put(0x80U | (point & 0x3FU));
  }
}

/// Recursive descent over one text.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_{text} {}

  Value document() {
    auto result = value(0);
    skip_space();
    if (at_ != text_.size())
      fail("text after the value");
    return result;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw SyntaxError("byte " + std::to_string(at_) + ": " + what);
  }

  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() noexcept {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
      ++at_;
  }

  bool accept(char c) noexcept {
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }

  bool accept_word(std::string_view word) noexcept {
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }

  Value value(int depth) {
    if (depth > max_depth)
      fail("nested too deeply");
    skip_space();
    if (accept('{'))
      return Value{object(depth)};
    if (accept('['))
      return Value{array(depth)};
    if (accept('"'))
      return Value{string()};
    if (accept_word("true"))
      return Value{true};
    if (accept_word("false"))
      return Value{false};
    if (accept_word("null"))
      return Value{};
    return Value{number()};
  }

  Object object(int depth) {
    Object result;
    skip_space();
    if (accept('}'))
      return result;
    do {
      skip_space();
      if (!accept('"'))
        fail("expected a key in quotes");
      auto key = string();
      skip_space();
      if (!accept(':'))
        fail("expected ':'");
      if (!result.emplace(std::move(key), value(depth + 1)).second)
        fail("key given twice");
      skip_space();
    } while (accept(','));
    if (!accept('}'))
      fail("expected ',' or '}'");
    return result;
  }

  Array array(int depth) {
    Array result;
    skip_space();
    if (accept(']'))
      return result;
    do {
      result.push_back(value(depth + 1));
      skip_space();
    } while (accept(','));
    if (!accept(']'))
      fail("expected ',' or ']'");
    return result;
  }

  void digits() {
    if (!is_digit(peek()))
      fail("expected a value");
    while (is_digit(peek()))
      ++at_;
  }

  Number number() {
    const auto begin = at_;
    accept('-');
    if (!accept('0'))
      digits();
    if (accept('.'))
      digits();
    if (accept('e') || accept('E')) {
      if (!accept('+'))
        accept('-');
      digits();
    }
    return Number{std::string{text_.substr(begin, at_ - begin)}};
  }

  std::string string() {
    std::string result;
    for (;;) {
      if (at_ >= text_.size())
        fail("string without end");
      const auto c = text_[at_++];
      if (c == '"')
        return result;
      if (static_cast<unsigned char>(c) < 0x20)
        fail("control character in a string");
      if (c == '\\')
        escape(result);
      else
        result.push_back(c);
    }
  }

  void escape(std::string& out) {
    const auto c = peek();
    ++at_;
    if (c == 'u') {
      append_utf8(out, code_point());
    } else if (const auto i = escape_names.find(c); i != std::string_view::npos) {
      out.push_back(escape_values[i]);
    } else {
      fail("unknown escape");
    }
  }

  std::uint32_t code_point() {
    const auto high = hex4();
    if (high < 0xD800 || high > 0xDFFF)
      return high;
    if (high > 0xDBFF || !accept('\\') || !accept('u'))
      fail("half of a surrogate pair");
    const auto low = hex4();
    if (low < 0xDC00 || low > 0xDFFF)
      fail("half of a surrogate pair");
    return 0x10000U + ((high - 0xD800U) << 10U) + (low - 0xDC00U);
  }

  std::uint32_t hex4() {
    const auto part = text_.substr(at_, 4);
    std::uint32_t result = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), result, 16);
    if (part.size() != 4 || parsed.ptr != part.data() + 4)
      fail("expected four hexadecimal digits");
    at_ += 4;
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

template <class Range, class Write>
std::string join(char open, const Range& range, char close, Write write) {
  std::string result(1, open);
  for (const auto& element : range) {
    if (result.size() > 1)
      result += ',';
    result += write(element);
  }
  return result += close;
}

struct Writer {
  std::string operator()(std::nullptr_t) const { return "null"; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(const Number& n) const { return n.text; }
  std::string operator()(const std::string& s) const { return quote(s); }
  std::string operator()(const Array& a) const {
    return join('[', a, ']', [](const Value& v) { return v.text(); });
  }
  std::string operator()(const Object& o) const {
    return join('{', o, '}',
                [](const auto& member) { return quote(member.first) + ':' + member.second.text(); });
  }
};

} // namespace

std::optional<std::int64_t> Value::integer() const noexcept {
  const auto* number = std::get_if<Number>(&data_);
  if (number == nullptr)
    return std::nullopt;
  std::int64_t result = 0;
  const auto* end = number->text.data() + number->text.size();
  const auto parsed = std::from_chars(number->text.data(), end, result);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    return std::nullopt;
  return result;
}

std::optional<double> Value::number() const noexcept {
  const auto* number = std::get_if<Number>(&data_);
  if (number == nullptr)
    return std::nullopt;
  const auto result = std::strtod(number->text.c_str(), nullptr);
  return std::isfinite(result) ? std::optional{result} : std::nullopt;
}

std::string Value::text() const {
  return std::visit(Writer{}, data_);
}

Value parse(std::string_view text) {
  return Parser{text}.document();
}

std::string quote(std::string_view raw) {
  std::string result = "\"";
  for (const auto c : raw) {
    if (const auto i = escape_values.find(c); i != std::string_view::npos && c != '/') {
      result += '\\';
      result += escape_names[i];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 7> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      result += code.data();
    } else {
      result += c;
    }
  }
  return result += '"';
}

std::string number(double x) {
  if (!std::isfinite(x))
    throw std::domain_error("JSON has no infinite numbers");
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", x);
  return text.data();
}

} // namespace scoville::json
