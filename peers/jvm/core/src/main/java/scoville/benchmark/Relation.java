package scoville.benchmark;

import java.math.BigDecimal;

/** How a parameter must relate to a limit that depends on another: {@code factor * of + plus}. */
public record Relation(String parameter, Rule rule, long factor, String of, long plus) {
    /** How a value is compared with the limit, in the words of the protocol. */
    public enum Rule {
        AT_LEAST("at least"),
        AT_MOST("at most"),
        ABOVE("above"),
        MULTIPLE_OF("a multiple of");

        private final String words;

        Rule(String words) {
            this.words = words;
        }
    }

    /** A limit that is another parameter. */
    static Relation to(String parameter, Rule rule, String of) {
        return new Relation(parameter, rule, 1, of, 0);
    }

    /** Whether checked values obey; computed exactly, whatever their size. */
    boolean holds(Parameters values) {
        BigDecimal value = values.exact(parameter);
        BigDecimal limit = limit(values);
        return switch (rule) {
            case AT_LEAST -> value.compareTo(limit) >= 0;
            case AT_MOST -> value.compareTo(limit) <= 0;
            case ABOVE -> value.compareTo(limit) > 0;
            case MULTIPLE_OF -> limit.signum() != 0 && value.remainder(limit).signum() == 0;
        };
    }

    private BigDecimal limit(Parameters values) {
        return values.exact(of).multiply(BigDecimal.valueOf(factor)).add(BigDecimal.valueOf(plus));
    }

    /** What the parameter must be. */
    String requirement(Parameters values) {
        String limit = limit(values).stripTrailingZeros().toPlainString();
        return rule.words + " " + limit + " (" + expression() + ")";
    }

    /** The limit as a formula; a falling one begins with its constant. */
    private String expression() {
        String term = Math.abs(factor) == 1 ? of : Math.abs(factor) + " * " + of;
        if (factor < 0) {
            return plus + " - " + term;
        } else if (plus < 0) {
            return term + " - " + -plus;
        }
        return plus > 0 ? term + " + " + plus : term;
    }
}
