package android.os;

import java.util.LinkedHashMap;
import java.util.Map;

/** The framework class as far as tests need it: it works, and remembers. */
public class BaseBundle {
    public final Map<String, Object> values = new LinkedHashMap<>();

    public void putBoolean(String key, boolean value) {
        values.put(key, value);
    }
}
