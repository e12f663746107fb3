package fanfare.device;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

/** What names must look like for the gateway to take them. */
final class Names {
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._~:-]{1,128}");
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,1024}");

    private Names() {
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text, if it has 1 to {@code longest} bytes that are not all white space, and no NUL. */
    static String require(String text, int longest, String name) {
        if (text != null && !text.trim().isEmpty() && text.indexOf('\0') < 0 && utf8(text).length <= longest) return text;
        throw new IllegalArgumentException(name + " must be a text of 1 to " + longest + " bytes");
    }

    static String requireTopic(String topic) {
        if (topic != null && TOPIC.matcher(topic).matches()) return topic;
        throw new IllegalArgumentException("topic must be 1 to 128 letters, digits and -._~:");
    }

    static String requireToken(String token) {
        if (token != null && TOKEN.matcher(token).matches()) return token;
        throw new IllegalArgumentException("token must be 1 to 1024 printable ASCII characters without spaces");
    }

    /** What this phone calls one Live Activity: the same at each call, and another one on each phone. */
    static String systemId(String udid, String key) {
        return UUID.nameUUIDFromBytes(utf8(udid.length() + ":" + udid + key)).toString();
    }
}
