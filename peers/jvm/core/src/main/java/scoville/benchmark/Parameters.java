package scoville.benchmark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import scoville.peer.Json;

/** Checked values by name. */
public final class Parameters {
    /** What every JVM can allocate. */
    private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

    private final Map<String, Long> values;

    private Parameters(Map<String, Long> values) {
        this.values = values;
    }

    /**
     * Checks what was given: nothing missing, nothing unknown, types, ranges, in this order.
     *
     * @throws BadParameter with the first complaint
     */
    public static Parameters check(String benchmark, List<Parameter> expected, Map<String, Object> given)
            throws BadParameter {
        for (Parameter parameter : expected) {
            if (!given.containsKey(parameter.name())) {
                throw new BadParameter(benchmark + ": parameter " + parameter.name() + " is missing");
            }
        }
        for (String name : new TreeSet<>(given.keySet())) {
            if (expected.stream().noneMatch(parameter -> parameter.name().equals(name))) {
                throw new BadParameter(benchmark + ": unknown parameter " + name);
            }
        }
        Map<String, Long> values = new HashMap<>();
        for (Parameter parameter : expected) {
            OptionalLong value = Json.integer(given.get(parameter.name()));
            if (value.isEmpty()) {
                throw rejected(benchmark, parameter, given, "an integer");
            }
            values.put(parameter.name(), value.getAsLong());
        }
        for (Parameter parameter : expected) {
            if (!parameter.admits(values.get(parameter.name()))) {
                throw rejected(benchmark, parameter, given, parameter.range());
            }
        }
        return new Parameters(values);
    }

    private static BadParameter rejected(
            String benchmark, Parameter parameter, Map<String, Object> given, String requirement) {
        String value = Json.write(given.get(parameter.name()));
        return new BadParameter(benchmark + ": " + parameter.name() + " is " + value + "; it must be " + requirement);
    }

    /** The value of a parameter that is the length of an array. */
    public int length(String name) {
        long value = get(name);
        if (value > MAX_LENGTH) {
            throw new Unsupported(name + " is " + value + "; an array of the JVM holds at most " + MAX_LENGTH);
        }
        return (int) value;
    }

    /** The value of a parameter of the benchmark. */
    public long get(String name) {
        return values.get(name);
    }
}
