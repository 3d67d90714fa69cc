package scoville.benchmark;

/** A benchmark or parameter that is not acceptable; the message is the one that the protocol prescribes. */
public final class BadParameter extends Exception {
    private static final long serialVersionUID = 1;

    public BadParameter(String message) {
        super(message);
    }
}
