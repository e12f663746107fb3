package fanfare.device;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A gateway with a Redis and mocks of the providers, on free ports of this machine. */
final class Stack implements AutoCloseable {
    private final String binary;
    private final File folder;
    private final List<Process> processes = new ArrayList<>();
    private final java.util.Map<String, String> environment = new java.util.HashMap<>();
    final String url;
    final Ledger ledger;

    Stack() throws Exception {
        String given = System.getenv("FANFARE_BINARY");
        if (given == null) throw new IllegalStateException("FANFARE_BINARY names no gateway");
        binary = new File(given).getAbsolutePath();
        folder = Folders.make("fanfare-stack");
        int[] ports = freePorts(5);
        url = "http://127.0.0.1:" + ports[4];
        ledger = new Ledger("http://127.0.0.1:" + ports[2]);
        try {
            start("redis-server", "--port", "" + ports[0], "--save", "", "--dir", folder.getPath());
            start(binary, "mock-fcm", "--port", "" + ports[1], "--control-port", "" + ports[2], "--out-dir", path("fcm"));
            start(binary, "mock-apns", "--port", "" + ports[3], "--out-dir", path("apns"), "--no-ledger");
            Check.eventually("the mocks", () -> read("fcm/fcm.env") && read("apns/apns.env"));
            environment.put("FANFARE_REDIS_URL", "redis://127.0.0.1:" + ports[0]);
            environment.put("FANFARE_HTTP_PORT", "" + ports[4]);
            environment.put("FANFARE_TOPICS_INTERVAL", "1s");
            start(binary, "serve");
            Check.eventually("the gateway", () -> new Call("GET", url + "/health/ready").send().status() == 200);
        } catch (Throwable problem) {
            close();
            throw problem;
        }
    }

    private String path(String name) {
        return new File(folder, name).getPath();
    }

    private boolean read(String name) throws IOException {
        File file = new File(folder, name);
        if (!file.exists()) return false;
        for (String line : Files.readAllLines(file.toPath(), StandardCharsets.UTF_8)) {
            int equals = line.indexOf('=');
            if (equals > 0) environment.put(line.substring(0, equals), line.substring(equals + 1));
        }
        return true;
    }

    private static int[] freePorts(int count) throws IOException {
        ServerSocket[] sockets = new ServerSocket[count];
        int[] ports = new int[count];
        for (int index = 0; index < count; index++) {
            sockets[index] = new ServerSocket(0);
            ports[index] = sockets[index].getLocalPort();
        }
        for (ServerSocket socket : sockets) socket.close();
        return ports;
    }

    private ProcessBuilder builder(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder);
        builder.environment().putAll(environment);
        return builder;
    }

    private void start(String... command) throws IOException {
        File log = new File(folder, "log-" + processes.size());
        processes.add(builder(command).redirectErrorStream(true).redirectOutput(log).start());
    }

    /** Runs a command of the gateway's to its end; what it printed. */
    String run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(binary);
        command.addAll(java.util.Arrays.asList(arguments));
        Process process = builder(command.toArray(new String[0])).redirectError(new File(folder, "log-commands")).start();
        StringBuilder out = new StringBuilder();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) out.append(line).append('\n');
        }
        Check.that(process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0, "fanfare " + arguments[0] + " failed");
        return out.toString();
    }

    /** A tenant with its keys. */
    Customer tenant(String name, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(java.util.Arrays.asList("tenant", "create", name, "--json"));
        arguments.addAll(java.util.Arrays.asList(more));
        Map<String, Object> keys = Json.parseObject(run(arguments.toArray(new String[0])));
        return new Customer(url, keys);
    }

    @Override
    public void close() {
        for (int index = processes.size() - 1; index >= 0; index--) {
            Process process = processes.get(index);
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly();
            } catch (InterruptedException interrupted) {
                process.destroyForcibly();
            }
        }
    }
}
