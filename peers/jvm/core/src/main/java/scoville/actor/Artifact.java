package scoville.actor;

import java.net.URL;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file that a library comes in. */
public final class Artifact {
    /** What Maven calls a file: name, hyphen, version, which is the first hyphen with a digit behind it. */
    private static final Pattern NAME = Pattern.compile("[^/]*?-([0-9][^/]*)\\.jar$");

    private Artifact() {}

    /**
     * The version of the library that the class was loaded from, by the name of its file: not every library says it
     * anywhere else.
     *
     * @throws IllegalStateException if the class does not come from a file that Maven named
     */
    public static String versionOf(Class<?> type) {
        URL file = type.getProtectionDomain().getCodeSource().getLocation();
        Matcher matcher = NAME.matcher(file.getPath());
        if (!matcher.find()) {
            throw new IllegalStateException(type + " comes from " + file + ", whose name has no version");
        }
        return matcher.group(1);
    }
}
