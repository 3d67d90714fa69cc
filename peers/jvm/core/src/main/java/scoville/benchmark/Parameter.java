package scoville.benchmark;

import java.math.BigDecimal;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import scoville.peer.Json;

/** A parameter and the values that it may have. Texts are in the words of the protocol. */
public sealed interface Parameter {
    /** The name in the catalogue. */
    String name();

    /** What a value must be by its type. */
    String type();

    /** The value as Long, Double or String; null if it is of another type. */
    Object parse(Object json);

    /** What a value of the right type that is not admitted must be. */
    String range();

    /** Whether a parsed value is in the range. */
    boolean admits(Object value);

    /** Whether a parsed value must be a power of two and is none. */
    default boolean lacksPowerOfTwo(Object value) {
        return false;
    }

    /** An integer; the ends of long stand for no bound. */
    record Whole(String name, long min, long max, boolean powerOfTwo) implements Parameter {
        @Override
        public String type() {
            return "an integer";
        }

        @Override
        public Object parse(Object json) {
            OptionalLong value = Json.integer(json);
            return value.isPresent() ? (Object) value.getAsLong() : null;
        }

        @Override
        public String range() {
            return max == Long.MAX_VALUE ? "at least " + min : "between " + min + " and " + max;
        }

        @Override
        public boolean admits(Object value) {
            long v = (Long) value;
            return v >= min && v <= max;
        }

        @Override
        public boolean lacksPowerOfTwo(Object value) {
            return powerOfTwo && Long.bitCount((Long) value) != 1;
        }
    }

    /** A floating-point number; infinite bounds stand for none, and the lower one may be exclusive. */
    record Real(String name, double min, double max, boolean exclusive) implements Parameter {
        @Override
        public String type() {
            return "a number";
        }

        @Override
        public Object parse(Object json) {
            OptionalDouble value = Json.number(json);
            return value.isPresent() ? (Object) value.getAsDouble() : null;
        }

        @Override
        public String range() {
            if (exclusive) {
                return "above " + plain(min);
            }
            return max == Double.POSITIVE_INFINITY
                    ? "at least " + plain(min)
                    : "between " + plain(min) + " and " + plain(max);
        }

        private static String plain(double bound) {
            return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
        }

        @Override
        public boolean admits(Object value) {
            double v = (Double) value;
            return (exclusive ? v > min : v >= min) && v <= max;
        }
    }

    /** One of several words. */
    record Choice(String name, List<String> words) implements Parameter {
        @Override
        public String type() {
            return "one of " + String.join(", ", words);
        }

        @Override
        public Object parse(Object json) {
            return json instanceof String word && words.contains(word) ? word : null;
        }

        @Override
        public String range() {
            return type();
        }

        @Override
        public boolean admits(Object value) {
            return true;
        }
    }

    /** Any integer. */
    static Parameter integer(String name) {
        return new Whole(name, Long.MIN_VALUE, Long.MAX_VALUE, false);
    }

    /** An integer without an upper bound. */
    static Parameter atLeast(String name, long min) {
        return new Whole(name, min, Long.MAX_VALUE, false);
    }

    /** An integer with both bounds, which belong to the range. */
    static Parameter between(String name, long min, long max) {
        return new Whole(name, min, max, false);
    }

    /** A power of two with both bounds. */
    static Parameter powerOfTwo(String name, long min, long max) {
        return new Whole(name, min, max, true);
    }

    /** Any number. */
    static Parameter number(String name) {
        return new Real(name, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, false);
    }

    /** A number that is at least the bound. */
    static Parameter numberFrom(String name, double min) {
        return new Real(name, min, Double.POSITIVE_INFINITY, false);
    }

    /** A number that is greater than the bound. */
    static Parameter numberAbove(String name, double min) {
        return new Real(name, min, Double.POSITIVE_INFINITY, true);
    }

    /** A number with both bounds, which belong to the range. */
    static Parameter numberBetween(String name, double min, double max) {
        return new Real(name, min, max, false);
    }

    /** One of these words. */
    static Parameter oneOf(String name, String... words) {
        return new Choice(name, List.of(words));
    }
}
