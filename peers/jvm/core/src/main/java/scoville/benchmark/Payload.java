package scoville.benchmark;

/** The bytes that some messages carry. Once sent they are not changed. */
final class Payload {
    private Payload() {}

    static byte[] fresh(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (7 * i + 3);
        }
        return bytes;
    }

    /** What is sent after bytes were received: a new copy in which byte i is one more or, if shared, the same. */
    static byte[] passOn(byte[] bytes, int i, boolean share) {
        if (share) {
            return bytes;
        }
        byte[] copy = bytes.clone();
        copy[i]++;
        return copy;
    }

    static long checksum(byte[] bytes) {
        Checksum checksum = new Checksum();
        for (byte b : bytes) {
            checksum.add(Byte.toUnsignedLong(b));
        }
        return checksum.value();
    }
}
