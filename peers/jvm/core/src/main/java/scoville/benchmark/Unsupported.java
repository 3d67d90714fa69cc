package scoville.benchmark;

/** What this runtime cannot do, and why. */
public final class Unsupported extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unsupported(String message) {
        super(message);
    }
}
