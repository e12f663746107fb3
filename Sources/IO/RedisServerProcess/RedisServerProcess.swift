import Glibc
import Reactor
public import RedisClient
public import TimeCore

/// A private redis-server as a child of this process, on a unix socket in a directory of its own. For tests, for
/// `demo`, and for a gateway without a configured Redis.
///
/// The child is in a process group of its own, and the directory is locked against other processes while this object
/// lives. A server left over there from a process that crashed is shut down before a new one starts.
///
/// `keepRunning` restarts a child that ends unexpectedly. To end the child in good order, call `stop`. If the last
/// reference is released while the child runs, it is killed.
///
/// May be used from any thread; nothing here blocks a thread for more than moments.
public final class RedisServerProcess: Sendable {
    /// The directory of the socket, the log and the data.
    public let directory: String
    /// The options of the server.
    public let options: RedisServerOptions
    private let process = Locked<pid_t?>(nil)
    private let lastEnd = Locked("it was not started")
    private let port = Locked<UInt16>(0)
    private let lock = Locked<DirectoryLock?>(nil)

    private init(directory: String, options: RedisServerOptions) {
        self.directory = directory
        self.options = options
    }

    deinit {
        guard let running = process.withLock({ $0 }) else { return }
        Glibc.kill(running, SIGKILL)
        ChildProcess.reap(running)
    }

    /// Starts the server and returns when it answers PING; a task that is cancelled meanwhile has it killed. Makes the
    /// directory if it is not there (its parent must be), with access for this user only.
    public static func start(
        in directory: String, options: RedisServerOptions = RedisServerOptions(),
        deadline: TimeInterval = .seconds(10)
    ) async throws(RedisServerError) -> RedisServerProcess {
        let server = RedisServerProcess(directory: directory, options: options)
        try await server.start(deadline: deadline)
        return server
    }

    /// The endpoint at which the server of a directory listens.
    public static func endpoint(in directory: String) -> RedisEndpoint {
        RedisEndpoint(location: .unix(path: "\(directory)/\(socketName)"))
    }

    /// Throws if other users may put files into a directory. Also throws if the server's files there, or the further
    /// file, belong to another user than this user or root. An absent directory is no error.
    public static func verify(_ directory: String, alsoHolding file: String? = nil) throws(RedisServerError) {
        guard access(directory, F_OK) == 0 else { return }
        try PrivateFiles.check(directory, names: file.map { PrivateFiles.names + [$0] } ?? PrivateFiles.names)
    }

    /// True if another process runs its server in the directory now.
    public static func isInUse(_ directory: String) -> Bool {
        access(directory + "/redis.lock", F_OK) == 0 && DirectoryLock(directory + "/redis.lock") == nil
    }

    /// True if a server has kept data in the directory.
    public static func hasData(_ directory: String) -> Bool {
        ["appendonlydir", "appendonly.aof", "dump.rdb"].contains { access("\(directory)/\($0)", F_OK) == 0 }
    }

    /// The unix socket; the port that speaks TLS, when the options ask for one.
    public var endpoint: RedisEndpoint {
        if options.tls != nil, let endpoint = tcpEndpoint { return endpoint }
        return RedisEndpoint(location: .unix(path: socketPath))
    }

    /// The TCP port on 127.0.0.1, when the options ask for one.
    public var tcpEndpoint: RedisEndpoint? {
        let number = port.withLock { $0 }
        guard number != 0 else { return nil }
        var endpoint = RedisEndpoint(location: .tcp(host: "127.0.0.1", port: number))
        endpoint.tls = options.tls.map { RedisTLS(caFile: $0.caFile) }
        return endpoint
    }

    /// The child, while it has not been stopped or found ended.
    public var processIdentifier: Int32? { process.withLock { $0 } }

    /// True if the child runs. Reaps a child that ended unexpectedly.
    public var isRunning: Bool {
        process.withLock { value in
            guard let running = value else { return false }
            if let end = ChildProcess.end(of: running) {
                lastEnd.withLock { $0 = end }
                value = nil
            }
            return value != nil
        }
    }

    /// A description of the last unexpected end of a child.
    var howItEnded: String { lastEnd.withLock { $0 } }

    /// Starts the server again after `stop` or `kill`, on the same socket and port.
    public func start(deadline: TimeInterval = .seconds(10)) async throws(RedisServerError) {
        guard !isRunning else { return }
        let end = MonotonicTime.now() + deadline
        try await prepareDirectory(end)
        for attempt in 0... {
            if listensOnTCP, attempt > 0 || tcpEndpoint == nil { try choosePort() }
            do {
                try await startOnce(end)
                return
            } catch .ended where listensOnTCP && attempt < 2 {
                // Most likely another process has taken the port meanwhile.
                continue
            }
        }
    }

    /// SIGTERM; SIGKILL when the server has not ended by the deadline.
    public func stop(deadline: TimeInterval = .seconds(5)) async {
        guard let running = processIdentifier else { return }
        // A paused server receives SIGTERM only after SIGCONT.
        Glibc.kill(running, SIGTERM)
        Glibc.kill(running, SIGCONT)
        let end = MonotonicTime.now() + deadline
        while MonotonicTime.now() < end, isRunning { await pauseBriefly() }
        kill()
    }

    /// SIGKILL, as in a crash. The server has ended when this returns.
    public func kill() {
        process.withLock { value in
            guard let running = value else { return }
            Glibc.kill(running, SIGKILL)
            ChildProcess.reap(running)
            value = nil
        }
    }

    /// SIGSTOP: the server keeps its connections and accepts new ones, but answers nothing.
    public func pause() {
        process.withLock { if let running = $0 { _ = Glibc.kill(running, SIGSTOP) } }
    }

    /// SIGCONT: the server continues.
    public func resume() {
        process.withLock { if let running = $0 { _ = Glibc.kill(running, SIGCONT) } }
    }

    // MARK: Starting

    private var listensOnTCP: Bool { options.listensOnTCP || options.tls != nil }
    private static let socketName = "redis.sock"
    private var socketPath: String { "\(directory)/\(RedisServerProcess.socketName)" }
    private var logPath: String { directory + "/redis.log" }

    private func prepareDirectory(_ end: MonotonicTime) async throws(RedisServerError) {
        guard SocketAddress(unixPath: socketPath) != nil else {
            throw .unusableDirectory("the path \(socketPath) is too long for a unix socket")
        }
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw .unusableDirectory("\(directory): \(String(cString: strerror(errno)))")
        }
        try PrivateFiles.check(directory)
        let taken = lock.withLock { value in
            if value == nil { value = DirectoryLock(directory + "/redis.lock") }
            return value != nil
        }
        guard taken else { throw .unusableDirectory("\(directory) is in use by another process") }
        // No other process may use this directory: a server that answers is left over from a process that crashed.
        guard await ReadinessProbe.shutDownLeftover(socketPath, until: end) else {
            throw .unusableDirectory("a server left over in \(directory) does not shut down")
        }
        unlink(socketPath)
        try PrivateFiles.protect(directory)
    }

    private func choosePort() throws(RedisServerError) {
        let chosen = options.clusterNodeTimeout == nil ? FreePort.find() : FreePort.findForClusterNode()
        guard let chosen else { throw .cannotStart(reason: "no free port on 127.0.0.1") }
        port.withLock { $0 = chosen }
    }

    private func startOnce(_ end: MonotonicTime) async throws(RedisServerError) {
        let (child, status) = ChildProcess.start(commandLine, log: logPath)
        guard status != ENOENT else { throw .notInstalled }
        guard status == 0 else { throw .cannotStart(reason: String(cString: strerror(status))) }
        process.withLock { $0 = child }
        while true {
            if await ReadinessProbe.answersPing(socketPath, until: min(end, .now() + .milliseconds(500))) { return }
            guard isRunning else { throw .ended(log: lastLogLines()) }
            guard MonotonicTime.now() < end, !Task.isCancelled else {
                kill()
                throw .notReady(log: lastLogLines())
            }
            await pauseBriefly()
        }
    }

    private var commandLine: [String] {
        let number = port.withLock { $0 }
        return [
            // The server changes to its directory first, and resolves the socket's name from there. So a relative
            // directory works, and a long path does not count.
            options.executable, "--bind", "127.0.0.1", "--unixsocket",
            RedisServerProcess.socketName, "--unixsocketperm", "600", "--dir", directory, "--daemonize", "no", "--save",
            "",
            "--appendonly", options.persistence == .appendOnly ? "yes" : "no", "--appendfsync", "always",
            // A small hash is packed while no value is longer than this; tokens may be longer than the default of 64.
            // The older of the setting's two names is known to all versions.
            "--hash-max-ziplist-value", "256",
        ] + options.portArguments(number) + options.clusterArguments + options.arguments
    }

    private func lastLogLines() -> String {
        let file = open(logPath, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "it left no log" }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        lseek(file, max(0, size - 1024), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

func pauseBriefly() async {
    // A cancelled task must wait as well, or its caller would spin.
    await Task.detached { try? await Task.sleep(for: .milliseconds(5)) }.value
}
