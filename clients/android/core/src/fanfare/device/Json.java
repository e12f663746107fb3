package fanfare.device;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, strings, {@link Long}, {@link Double}, {@link Boolean} and null. Numbers that are whole and fit are
 * {@code Long}. {@link Raw} is written as it stands.
 */
final class Json {
    private Json() {
    }

    /** JSON that goes out byte for byte. */
    static final class Raw {
        final String text;

        Raw(String text) {
            this.text = text;
        }
    }

    static Object parse(String text) throws JsonException {
        return new JsonParser(text).parse();
    }

    /** The object that the text is. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> parseObject(String text) throws JsonException {
        Object value = parse(text);
        if (value instanceof Map) return (Map<String, Object>) value;
        throw new JsonException("an object is expected");
    }

    /** Whether the text is a JSON object. */
    static boolean isObject(String text) {
        try {
            parseObject(text);
            return true;
        } catch (JsonException wrong) {
            return false;
        }
    }

    /** Null when the member is missing or no string. */
    static String string(Map<String, Object> object, String name) {
        Object value = object.get(name);
        return value instanceof String ? (String) value : null;
    }

    static long number(Map<String, Object> object, String name, long fallback) {
        Object value = object.get(name);
        return value instanceof Number ? ((Number) value).longValue() : fallback;
    }

    static boolean flag(Map<String, Object> object, String name) {
        return Boolean.TRUE.equals(object.get(name));
    }

    /** Empty when the member is missing or no object. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Map<String, Object> object, String name) {
        Object value = object.get(name);
        return value instanceof Map ? (Map<String, Object>) value : Collections.<String, Object>emptyMap();
    }

    /** The objects among the elements of a member; empty when it is missing or no list. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(Map<String, Object> object, String name) {
        Object value = object.get(name);
        if (!(value instanceof List)) return Collections.emptyList();
        java.util.ArrayList<Map<String, Object>> found = new java.util.ArrayList<>();
        for (Object element : (List<Object>) value) {
            if (element instanceof Map) found.add((Map<String, Object>) element);
        }
        return found;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            char separator = '{';
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                write((String) member.getKey(), out);
                out.append(':');
                write(member.getValue(), out);
                separator = ',';
            }
            out.append(separator == '{' ? "{}" : "}");
        } else if (value instanceof List) {
            char separator = '[';
            for (Object element : (List<?>) value) {
                out.append(separator);
                write(element, out);
                separator = ',';
            }
            out.append(separator == '[' ? "[]" : "]");
        } else if (value instanceof Raw) {
            out.append(((Raw) value).text);
        } else if (value instanceof String) {
            write((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void write(String text, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < text.length(); index++) {
            char letter = text.charAt(index);
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < ' ' || isLone(text, index)) {
                out.append(String.format(java.util.Locale.ROOT, "\\u%04x", (int) letter));
            } else {
                out.append(letter);
            }
        }
        out.append('"');
    }

    /** Half of a surrogate pair has no UTF-8. */
    private static boolean isLone(String text, int index) {
        char letter = text.charAt(index);
        if (Character.isHighSurrogate(letter)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        return Character.isLowSurrogate(letter) && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
    }
}
