package fanfare.device;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;

/** {@link Transport} by {@link HttpURLConnection}. Safe for several threads. */
public final class HttpTransport implements Transport {
    private static final int CONNECT_TIMEOUT = 10_000;
    private static final int READ_TIMEOUT = 15_000;
    private static final int LONGEST_BODY = 1 << 20;
    /** Breaks connections off whose peers say something again and again, and never all of it. */
    private static final Timer DEADLINES = new Timer("fanfare-deadlines", true);

    private final long deadlineMillis;

    /** Each request has half a minute. */
    public HttpTransport() {
        this(30_000);
    }

    HttpTransport(long deadlineMillis) {
        this.deadlineMillis = deadlineMillis;
    }

    @Override
    public Reply send(Request request) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(request.url()).openConnection();
        TimerTask deadline = new TimerTask() {
            @Override
            public void run() {
                connection.disconnect();
            }
        };
        DEADLINES.schedule(deadline, deadlineMillis);
        try {
            connection.setRequestMethod(request.method());
            connection.setConnectTimeout(CONNECT_TIMEOUT);
            connection.setReadTimeout(READ_TIMEOUT);
            connection.setUseCaches(false);
            // A redirect would carry the key to somebody else.
            connection.setInstanceFollowRedirects(false);
            for (Map.Entry<String, String> header : request.headers().entrySet()) {
                connection.setRequestProperty(header.getKey(), header.getValue());
            }
            if (request.body() != null) {
                byte[] body = Names.utf8(request.body());
                connection.setDoOutput(true);
                // A body of a length that is known beforehand is not sent again when a connection breaks.
                connection.setFixedLengthStreamingMode(body.length);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body);
                }
            }
            int status = connection.getResponseCode();
            if (status < 100) throw new IOException("the reply is not HTTP");
            return new Reply(status, seconds(connection.getHeaderField("Retry-After")), read(connection, status));
        } catch (RuntimeException wrong) {
            // Some versions of Android throw such for a connection that breaks.
            throw new IOException("the request failed: " + wrong.getClass().getSimpleName());
        } finally {
            deadline.cancel();
        }
    }

    private static String read(HttpURLConnection connection, int status) throws IOException {
        // The stream is closed, not the connection, which can serve the next request.
        try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
            if (in == null) return "";
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[4_096];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                out.write(part, 0, count);
                if (out.size() > LONGEST_BODY) throw new IOException("the reply is too long");
            }
            if (out.size() < connection.getContentLength()) throw new IOException("the reply breaks off");
            return out.toString("UTF-8");
        }
    }

    /** The gateway says it in seconds; a date, which something in front of it may say, counts as a minute. */
    private static long seconds(String header) {
        if (header == null) return -1;
        try {
            return Math.max(0, Long.parseLong(header.trim()));
        } catch (NumberFormatException date) {
            return 60;
        }
    }
}
