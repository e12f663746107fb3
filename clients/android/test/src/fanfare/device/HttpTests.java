package fanfare.device;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;

/** The transport by HttpURLConnection. */
final class HttpTests {
    private HttpTests() {
    }

    static void add(Suite suite) {
        suite.add("HTTP: methods, bodies, refusals, Retry-After; redirects are not followed", HttpTests::replies);
        suite.add("HTTP: a connection that breaks is an error, and nothing is sent twice", HttpTests::broken);
        suite.add("HTTP: a reply without an end is given up", HttpTests::endless);
        suite.add("HTTP: a head that comes byte by byte, and answers that are none for ever, end with the deadline",
            HttpTests::dripping);
    }

    private static Request request(String method, String url, String body) {
        return new Request(method, url, Collections.singletonMap("X-Sdk-Key", "k"), body);
    }

    private static void replies() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        AtomicInteger redirected = new AtomicInteger();
        server.createContext("/", exchange -> {
            byte[] in = new byte[1_000];
            int length = Math.max(0, exchange.getRequestBody().read(in));
            byte[] out = Names.utf8(exchange.getRequestMethod() + " " + new String(in, 0, length, "UTF-8") + " "
                + exchange.getRequestHeaders().getFirst("X-Sdk-Key"));
            String path = exchange.getRequestURI().getPath();
            if (path.equals("/503")) exchange.getResponseHeaders().set("Retry-After", "7");
            if (path.equals("/429")) exchange.getResponseHeaders().set("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT");
            if (path.equals("/302")) exchange.getResponseHeaders().set("Location", "/elsewhere");
            if (path.equals("/elsewhere")) redirected.incrementAndGet();
            exchange.sendResponseHeaders(path.matches("/[0-9]+") ? Integer.parseInt(path.substring(1)) : 200, out.length);
            exchange.getResponseBody().write(out);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            HttpTransport http = new HttpTransport();
            for (String method : new String[] {"PUT", "POST", "DELETE"}) {
                Check.equal(method + " {\u00e9} k", http.send(request(method, url, "{\u00e9}")).body(), "body");
            }
            Check.equal("GET  k", http.send(request("GET", url, null)).body(), "body");
            Check.equal("PUT {} k", http.send(request("PUT", url + "/400", "{}")).body(), "body of a refusal");
            Check.equal(7L, http.send(request("PUT", url + "/503", "{}")).retryAfterSeconds(), "Retry-After");
            Check.equal(60L, http.send(request("PUT", url + "/429", "{}")).retryAfterSeconds(), "Retry-After as a date");
            Check.equal(-1L, http.send(request("PUT", url + "/500", "{}")).retryAfterSeconds(), "no Retry-After");
            Check.equal(302, http.send(request("PUT", url + "/302", "{}")).status(), "redirect");
            Check.equal(0, redirected.get(), "redirects that were followed");
        } finally {
            server.stop(0);
        }
    }

    private static void dripping() throws Exception {
        for (String part : new String[] {"a", "\r\n\r\nHTTP/1.1 100 Continue"}) {
            try (ServerSocket server = new ServerSocket(0)) {
                Thread peer = new Thread(() -> {
                    try (Socket socket = server.accept()) {
                        socket.getOutputStream().write(Names.utf8("HTTP/1.1 100 Continue"));
                        while (true) {
                            socket.getOutputStream().write(Names.utf8(part));
                            Thread.sleep(50);
                        }
                    } catch (IOException | InterruptedException gone) {
                        // As it should be.
                    }
                });
                peer.start();
                long before = System.nanoTime();
                try {
                    new HttpTransport(500).send(request("GET", "http://127.0.0.1:" + server.getLocalPort(), null));
                    throw new AssertionError("an answer");
                } catch (IOException expected) {
                    Check.that(System.nanoTime() - before < 10_000_000_000L, "it takes too long");
                }
                peer.join(10_000);
                Check.that(!peer.isAlive(), "the connection is still open");
            }
        }
    }

    private interface Peer {
        void serve(Socket socket) throws IOException;
    }

    private static int withPeer(Peer peer, String method) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0)) {
            Thread thread = new Thread(() -> {
                try {
                    while (true) {
                        Socket socket = server.accept();
                        connections.incrementAndGet();
                        peer.serve(socket);
                        socket.close();
                    }
                } catch (IOException closed) {
                    // The test is over.
                }
            });
            thread.setDaemon(true);
            thread.start();
            try {
                new HttpTransport().send(request(method, "http://127.0.0.1:" + server.getLocalPort() + "/", "{}"));
            } catch (IOException expected) {
                Thread.sleep(100);
                return connections.get();
            }
        }
        throw new AssertionError("there is a reply");
    }

    private static void readHead(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        in.read(new byte[4_000]);
    }

    private static void broken() throws Exception {
        for (String method : new String[] {"PUT", "POST", "DELETE"}) {
            Check.equal(1, withPeer(HttpTests::readHead, method), "how often " + method + " was sent");
        }
        withPeer(socket -> {
            readHead(socket);
            socket.getOutputStream().write(Names.utf8("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"));
        }, "PUT");
        withPeer(socket -> {
            readHead(socket);
            socket.getOutputStream().write(Names.utf8("nonsense\r\n\r\n"));
        }, "PUT");
    }

    private static void endless() throws Exception {
        withPeer(socket -> {
            readHead(socket);
            socket.getOutputStream().write(Names.utf8("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"));
            byte[] part = new byte[65_536];
            for (int count = 0; count < 1_000; count++) socket.getOutputStream().write(part);
        }, "PUT");
    }
}
