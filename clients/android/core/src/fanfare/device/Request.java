package fanfare.device;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A request to the gateway. Immutable. */
public final class Request {
    private final String method;
    private final String url;
    private final Map<String, String> headers;
    private final String body;

    Request(String method, String url, Map<String, String> headers, String body) {
        this.method = method;
        this.url = url;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        this.body = body;
    }

    /** {@code GET}, {@code PUT}, {@code POST} or {@code DELETE}; all but GET have a body. */
    public String method() {
        return method;
    }

    /** The whole URL; not null. */
    public String url() {
        return url;
    }

    /** By name; they hold secrets. Not null. */
    public Map<String, String> headers() {
        return headers;
    }

    /** JSON; null of a GET. */
    public String body() {
        return body;
    }

    /** Without headers and body, which hold secrets. */
    @Override
    public String toString() {
        return method + " " + url.replaceAll("\\?.*", "");
    }
}
