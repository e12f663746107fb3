package fanfare.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one JSON text (RFC 8259), at most {@link #DEEPEST} levels deep. */
final class JsonParser {
    static final int DEEPEST = 100;

    private final String text;
    private int at;
    private int depth;

    JsonParser(String text) {
        this.text = text;
    }

    Object parse() throws JsonException {
        Object value = value();
        skipSpace();
        if (at < text.length()) throw wrong("the end");
        return value;
    }

    private Object value() throws JsonException {
        skipSpace();
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return list();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() throws JsonException {
        Map<String, Object> members = new LinkedHashMap<>();
        enter();
        if (!take('}')) {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                need(':');
                members.put(name, value());
                skipSpace();
            } while (take(','));
            need('}');
        }
        depth--;
        return members;
    }

    private List<Object> list() throws JsonException {
        List<Object> elements = new ArrayList<>();
        enter();
        if (!take(']')) {
            do {
                elements.add(value());
                skipSpace();
            } while (take(','));
            need(']');
        }
        depth--;
        return elements;
    }

    private void enter() throws JsonException {
        at++;
        if (++depth > DEEPEST) throw wrong("less depth");
        skipSpace();
    }

    private String string() throws JsonException {
        need('"');
        StringBuilder out = new StringBuilder();
        while (true) {
            char letter = next();
            if (letter == '"') return out.toString();
            if (letter < ' ') throw wrong("a string without control characters");
            out.append(letter == '\\' ? escape() : letter);
        }
    }

    private char escape() throws JsonException {
        char letter = next();
        switch (letter) {
            case '"':
            case '\\':
            case '/':
                return letter;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                int code = 0;
                for (int digit = 0; digit < 4; digit++) {
                    int value = Character.digit(next(), 16);
                    if (value < 0) throw wrong("four hexadecimal digits");
                    code = code * 16 + value;
                }
                return (char) code;
            default:
                throw wrong("an escape");
        }
    }

    private Object number() throws JsonException {
        int start = at;
        take('-');
        if (!take('0')) digits();
        boolean isWhole = true;
        if (take('.')) {
            isWhole = false;
            digits();
        }
        if (take('e') || take('E')) {
            isWhole = false;
            if (!take('+')) take('-');
            digits();
        }
        String digits = text.substring(start, at);
        if (isWhole && digits.length() < 19) return Long.valueOf(digits);
        return Double.valueOf(digits);
    }

    private void digits() throws JsonException {
        int start = at;
        while (peek() >= '0' && peek() <= '9') at++;
        if (at == start) throw wrong("a value");
    }

    private Object word(String word, Object value) throws JsonException {
        if (!text.startsWith(word, at)) throw wrong("a value");
        at += word.length();
        return value;
    }

    private void skipSpace() {
        while (" \t\n\r".indexOf(peek()) >= 0) at++;
    }

    /** NUL, which stands nowhere outside of strings, at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() throws JsonException {
        if (at == text.length()) throw wrong("more");
        return text.charAt(at++);
    }

    private boolean take(char letter) {
        if (peek() != letter || at == text.length()) return false;
        at++;
        return true;
    }

    private void need(char letter) throws JsonException {
        if (!take(letter)) throw wrong("'" + letter + "'");
    }

    private JsonException wrong(String expected) {
        return new JsonException(expected + " is expected at character " + at);
    }
}
