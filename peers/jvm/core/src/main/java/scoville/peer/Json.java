package scoville.peer;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The part of JSON (RFC 8259) that the peer protocol needs.
 *
 * <p>Objects are maps, arrays lists, strings and booleans themselves, null null. Numbers are read as {@link Written}.
 */
public final class Json {
    private static final int MAX_DEPTH = 64;
    private static final MathContext DIGITS = new MathContext(17);
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
    private static final String ESCAPE_NAMES = "\"\\/bfnrt";
    private static final String ESCAPE_VALUES = "\"\\/\b\f\n\r\t";

    private Json() {}

    /** A number as it was written, so that a message about it shows what was sent. */
    public record Written(String text) {}

    /** What is wrong with a text, and at which character. */
    public static final class SyntaxError extends Exception {
        private static final long serialVersionUID = 1;

        SyntaxError(int at, String what) {
            super("character " + at + ": " + what);
        }
    }

    /** The value of a number without fraction and exponent that fits 64 bits; empty for anything else. */
    public static OptionalLong integer(Object value) {
        if (value instanceof Written number && INTEGER.matcher(number.text).matches()) {
            try {
                return OptionalLong.of(Long.parseLong(number.text));
            } catch (NumberFormatException tooBig) {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.empty();
    }

    /** The value of a number that 64 bits of floating point can hold; empty for anything else. */
    public static OptionalDouble number(Object value) {
        if (value instanceof Written number) {
            double parsed = Double.parseDouble(number.text);
            return Double.isFinite(parsed) ? OptionalDouble.of(parsed) : OptionalDouble.empty();
        }
        return OptionalDouble.empty();
    }

    /** Parses exactly one value with nothing but white space around it. */
    public static Object parse(String text) throws SyntaxError {
        return new Parser(text).document();
    }

    /** Compact JSON of a value as described above; also of Long, Integer, Double and long[]. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            out.append(value);
        } else if (value instanceof String string) {
            writeString(out, string);
        } else if (value instanceof Written number) {
            out.append(number.text);
        } else if (value instanceof Double number) {
            // Throws for what JSON cannot express.
            out.append(new BigDecimal(number).round(DIGITS));
        } else if (value instanceof Map<?, ?> map) {
            writeObject(out, map);
        } else if (value instanceof List<?> list) {
            writeArray(out, list);
        } else if (value instanceof long[] numbers) {
            writeArray(out, numbers);
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private static void writeObject(StringBuilder out, Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> member : map.entrySet()) {
            out.append(separator);
            writeString(out, (String) member.getKey());
            out.append(':');
            write(out, member.getValue());
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void writeArray(StringBuilder out, List<?> list) {
        String separator = "[";
        for (Object element : list) {
            out.append(separator);
            write(out, element);
            separator = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
    }

    private static void writeArray(StringBuilder out, long[] numbers) {
        String separator = "[";
        for (long number : numbers) {
            out.append(separator).append(number);
            separator = ",";
        }
        out.append(numbers.length == 0 ? "[]" : "]");
    }

    private static void writeString(StringBuilder out, String string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            int escape = c == '/' ? -1 : ESCAPE_VALUES.indexOf(c);
            if (escape >= 0) {
                out.append('\\').append(ESCAPE_NAMES.charAt(escape));
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Recursive descent over one text. */
    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Object document() throws SyntaxError {
            Object result = value(0);
            skipSpace();
            if (at != text.length()) {
                throw error("text after the value");
            }
            return result;
        }

        private SyntaxError error(String what) {
            return new SyntaxError(at, what);
        }

        private char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private void skipSpace() {
            while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
                at++;
            }
        }

        private boolean accept(String token) {
            boolean found = text.startsWith(token, at);
            if (found) {
                at += token.length();
            }
            return found;
        }

        private Object value(int depth) throws SyntaxError {
            if (depth > MAX_DEPTH) {
                throw error("nested too deeply");
            }
            skipSpace();
            if (accept("{")) {
                return object(depth);
            } else if (accept("[")) {
                return array(depth);
            } else if (accept("\"")) {
                return string();
            } else if (accept("true")) {
                return true;
            } else if (accept("false")) {
                return false;
            } else if (accept("null")) {
                return null;
            }
            return number();
        }

        private Map<String, Object> object(int depth) throws SyntaxError {
            Map<String, Object> result = new LinkedHashMap<>();
            skipSpace();
            if (accept("}")) {
                return result;
            }
            do {
                skipSpace();
                if (!accept("\"")) {
                    throw error("expected a key in quotes");
                }
                String key = string();
                skipSpace();
                if (!accept(":")) {
                    throw error("expected ':'");
                }
                if (result.containsKey(key)) {
                    throw error("key given twice");
                }
                result.put(key, value(depth + 1));
                skipSpace();
            } while (accept(","));
            if (!accept("}")) {
                throw error("expected ',' or '}'");
            }
            return result;
        }

        private List<Object> array(int depth) throws SyntaxError {
            List<Object> result = new ArrayList<>();
            skipSpace();
            if (accept("]")) {
                return result;
            }
            do {
                result.add(value(depth + 1));
                skipSpace();
            } while (accept(","));
            if (!accept("]")) {
                throw error("expected ',' or ']'");
            }
            return result;
        }

        private Written number() throws SyntaxError {
            int begin = at;
            accept("-");
            if (!accept("0")) {
                digits();
            }
            if (accept(".")) {
                digits();
            }
            if (accept("e") || accept("E")) {
                if (!accept("+")) {
                    accept("-");
                }
                digits();
            }
            return new Written(text.substring(begin, at));
        }

        private void digits() throws SyntaxError {
            int begin = at;
            while (peek() >= '0' && peek() <= '9') {
                at++;
            }
            if (at == begin) {
                throw error("expected a value");
            }
        }

        private String string() throws SyntaxError {
            StringBuilder result = new StringBuilder();
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"') {
                    return result.toString();
                } else if (c < 0x20) {
                    throw error("control character in a string");
                }
                result.append(c == '\\' ? escape() : c);
            }
            throw error("string without end");
        }

        private char escape() throws SyntaxError {
            char name = peek();
            at++;
            if (name == 'u') {
                return hex();
            }
            int known = ESCAPE_NAMES.indexOf(name);
            if (known < 0) {
                throw error("unknown escape");
            }
            return ESCAPE_VALUES.charAt(known);
        }

        private char hex() throws SyntaxError {
            int result = 0;
            for (int end = at + 4; at < end; at++) {
                if (!HexFormat.isHexDigit(peek())) {
                    throw error("expected four hexadecimal digits");
                }
                result = result * 16 + HexFormat.fromHexDigit(peek());
            }
            return (char) result;
        }
    }
}
