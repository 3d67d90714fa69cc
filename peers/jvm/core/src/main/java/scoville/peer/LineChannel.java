package scoville.peer;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Lines over a pair of streams. */
final class LineChannel {
    private static final int MAX_LINE = 16 << 20;

    private final InputStream in;
    private final OutputStream out;

    LineChannel(InputStream in, OutputStream out) {
        this.in = new BufferedInputStream(in);
        this.out = out;
    }

    /** The next line without its end, or null at the end of the stream. */
    String read() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (line.size() == MAX_LINE) {
                throw new IOException("the laboratory sent a line of more than 16 MiB");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Writes a line. */
    void write(String line) throws IOException {
        out.write((line + '\n').getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
