package fanfare.device;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;

/** An HTTP request of a test's own. */
final class Call {
    private final String method;
    private final String url;
    private String key;
    private String body;

    Call(String method, String url) {
        this.method = method;
        this.url = url;
    }

    Call key(String key) {
        this.key = key;
        return this;
    }

    Call body(String body) {
        this.body = body;
        return this;
    }

    Reply send() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(5_000);
        connection.setReadTimeout(35_000);
        if (key != null) connection.setRequestProperty("X-Api-Key", key);
        try {
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
                connection.getOutputStream().write(Names.utf8(body));
            }
            int status = connection.getResponseCode();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
                byte[] part = new byte[65_536];
                for (int count = in == null ? -1 : in.read(part); count >= 0; count = in.read(part)) out.write(part, 0, count);
            }
            return new Reply(status, -1, out.toString("UTF-8"));
        } catch (java.net.ConnectException nobody) {
            return new Reply(0, -1, "");
        }
    }
}
