package scoville.benchmark;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import scoville.peer.Json;

/** Checked values by name. */
public final class Parameters {
    /** What every JVM can allocate. */
    private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

    private final Map<String, Object> values;

    private Parameters(Map<String, Object> values) {
        this.values = values;
    }

    /**
     * Checks what was given: nothing missing, nothing unknown, types, ranges, powers of two, relations, in this order.
     *
     * @throws BadParameter with the first complaint
     */
    public static Parameters check(Benchmark benchmark, Map<String, Object> given) throws BadParameter {
        return new Check(benchmark.name(), benchmark.parameters(), given).values(benchmark.relations());
    }

    /** The check of one set of values. */
    private record Check(String benchmark, List<Parameter> expected, Map<String, Object> given) {
        Parameters values(List<Relation> relations) throws BadParameter {
            checkNames();
            Map<String, Object> values = parse();
            for (Parameter parameter : expected) {
                if (!parameter.admits(values.get(parameter.name()))) {
                    throw rejected(parameter.name(), parameter.range());
                }
            }
            for (Parameter parameter : expected) {
                if (parameter.lacksPowerOfTwo(values.get(parameter.name()))) {
                    throw rejected(parameter.name(), "a power of two");
                }
            }
            Parameters result = new Parameters(values);
            for (Relation relation : relations) {
                if (!relation.holds(result)) {
                    throw rejected(relation.parameter(), relation.requirement(result));
                }
            }
            return result;
        }

        private void checkNames() throws BadParameter {
            for (Parameter parameter : expected) {
                if (!given.containsKey(parameter.name())) {
                    throw new BadParameter(benchmark + ": parameter " + parameter.name() + " is missing");
                }
            }
            for (String name : new TreeSet<>(given.keySet())) {
                Predicate<Parameter> named = parameter -> parameter.name().equals(name);
                if (expected.stream().noneMatch(named)) {
                    throw new BadParameter(benchmark + ": unknown parameter " + name);
                }
            }
        }

        private Map<String, Object> parse() throws BadParameter {
            Map<String, Object> values = new HashMap<>();
            for (Parameter parameter : expected) {
                Object value = parameter.parse(given.get(parameter.name()));
                if (value == null) {
                    throw rejected(parameter.name(), parameter.type());
                }
                values.put(parameter.name(), value);
            }
            return values;
        }

        private BadParameter rejected(String name, String requirement) {
            String value = Json.write(given.get(name));
            return new BadParameter(benchmark + ": " + name + " is " + value + "; it must be " + requirement);
        }
    }

    /** The value of an integer parameter. */
    public long get(String name) {
        return (Long) values.get(name);
    }

    /** The value of a number parameter. */
    public double number(String name) {
        return (Double) values.get(name);
    }

    /** The value of a choice. */
    public String word(String name) {
        return (String) values.get(name);
    }

    /**
     * The value of an integer parameter that is the length of an array.
     *
     * @throws Unsupported if the JVM has no arrays of this length
     */
    public int length(String name) {
        return length(name, get(name));
    }

    /** A length that was computed from parameters, see {@link #length(String)}; overflow must have made it negative. */
    static int length(String what, long value) {
        if (value > MAX_LENGTH || value < 0) {
            throw new Unsupported(what + " is " + value + "; an array of the JVM holds at most " + MAX_LENGTH);
        }
        return (int) value;
    }

    /** The value of a parameter that is no choice, to calculate with. */
    BigDecimal exact(String name) {
        return values.get(name) instanceof Double number ? BigDecimal.valueOf(number) : BigDecimal.valueOf(get(name));
    }
}
