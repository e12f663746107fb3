import Reactor
import TimeCore

/// A server's properties at the beginning of a connection.
struct RedisGreeting: Equatable {
    /// True if the server is a node of a cluster. False if it does not report that.
    var isCluster = false
    /// True if the server follows a primary and refuses writes.
    var isReplica = false

    /// The command that queries these properties.
    static let question = RedisCommand("HELLO", 2)

    /// - Parameter reply: The reply to HELLO in RESP2: alternating names and values.
    init(_ reply: RedisReplyView?) {
        guard let parts = reply?.elements else { return }
        for index in stride(from: 0, to: parts.count - parts.count % 2, by: 2) {
            switch parts[index].string {
            case "mode": isCluster = parts[index + 1].string == "cluster"
            case "role": isReplica = parts[index + 1].string == "replica"
            default: break
            }
        }
    }

    /// The reason for which a client skips the server; nil if the server accepts writes. The cluster's router handles
    /// the replicas of a cluster.
    var refusal: String? {
        isReplica && !isCluster ? "READONLY the server is a replica, and the primary was not found" : nil
    }
}

/// The first commands on a new connection: AUTH, SELECT, PING, HELLO, scripts. All are sent in one write. A user
/// without the right to PING or to load scripts gets a connection nevertheless, on which the missing rights are
/// determined.
struct RedisHandshake {
    enum Outcome {
        case greeted(RedisGreeting)
        case failed(String)
    }

    /// - mayBeDenied: True if a user without this right is served nevertheless.
    let commands: [(RedisCommand, refusal: String, mayBeDenied: Bool)]

    init(endpoint: RedisEndpoint, scripts: [RedisScript]) {
        var commands: [(RedisCommand, refusal: String, mayBeDenied: Bool)] = []
        if let signIn = RedisHandshake.signIn(endpoint) {
            commands.append((signIn, "the server refused the sign-in", false))
        }
        if endpoint.database != 0 {
            commands.append((RedisCommand("SELECT", endpoint.database), "the server refused the database", false))
        }
        commands.append((RedisCommand("PING"), "the server refused PING", true))
        // Returns the mode. A server without HELLO, or a user without the right to it, counts as a single server.
        commands.append((RedisGreeting.question, "", true))
        for script in scripts {
            commands.append((RedisCommand("SCRIPT", "LOAD", script.source), "the server refused the \(script)", true))
        }
        self.commands = commands
    }

    /// The AUTH command; nil without a password.
    static func signIn(_ endpoint: RedisEndpoint) -> RedisCommand? {
        endpoint.password.map { password in
            endpoint.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password)
        }
    }

    /// Calls `completion` once, unless the connection ends first. The caller limits the time.
    func run(on connection: RedisConnection, completion: @escaping (Outcome) -> Void) {
        let progress = Progress(missing: commands.count, completion)
        for (command, refusal, mayBeDenied) in commands {
            let isPing = command.encoded.elementsEqual(RedisHandshake.ping)
            let isHello = command.encoded.elementsEqual(RedisGreeting.question.encoded)
            let sink = ReplySink.view { result in
                switch result {
                case .success(let reply) where isPing && reply.string != "PONG":
                    progress.failed("the server answers PING with something else than PONG")
                case .success(let reply):
                    if isHello { progress.greeting = RedisGreeting(reply) }
                    progress.succeeded()
                case .failure(.rejected) where isHello: progress.succeeded()
                case .failure(let error) where mayBeDenied && error.refusal == .noPermission: progress.succeeded()
                case .failure(.rejected(let message)): progress.failed("\(refusal): \(message)")
                case .failure(.unavailable(let message, _)): progress.failed(message)
                case .failure(let error): progress.failed(error.description)
                }
            }
            let never = MonotonicTime(nanoseconds: .max)
            connection.send(
                command, PendingCall(sink: sink, sent: connection.reactor.now, deadline: never, command: nil))
        }
    }

    private static let ping = Array(RedisCommand("PING").encoded)

    private final class Progress {
        var greeting = RedisGreeting(nil)
        private var missing: Int
        private var completion: ((Outcome) -> Void)?

        init(missing: Int, _ completion: @escaping (Outcome) -> Void) {
            self.missing = missing
            self.completion = completion
        }

        func succeeded() {
            missing -= 1
            if missing == 0 { finish(.greeted(greeting)) }
        }

        func failed(_ reason: String) {
            finish(.failed(reason))
        }

        private func finish(_ outcome: Outcome) {
            let completion = completion
            self.completion = nil
            completion?(outcome)
        }
    }
}
