import Reactor
import TimeCore

/// What is said on a new connection before any command: sign-in, database, PING, scripts. All in one write.
struct RedisHandshake {
    let commands: [(RedisCommand, refusal: String)]

    init(endpoint: RedisEndpoint, scripts: [RedisScript]) {
        var commands: [(RedisCommand, refusal: String)] = []
        if let password = endpoint.password {
            let refusal = "the server refused the sign-in"
            if let user = endpoint.user {
                commands.append((RedisCommand("AUTH", user, password), refusal))
            } else {
                commands.append((RedisCommand("AUTH", password), refusal))
            }
        }
        if endpoint.database != 0 {
            commands.append((RedisCommand("SELECT", endpoint.database), "the server refused the database"))
        }
        commands.append((RedisCommand("PING"), "the server refused PING"))
        for script in scripts {
            commands.append((RedisCommand("SCRIPT", "LOAD", script.source), "the server refused the \(script)"))
        }
        self.commands = commands
    }

    /// Calls `completion` once: with nil when all went well, or else with what did not. It is not called when the
    /// connection ends meanwhile. The caller limits the time.
    func run(on connection: RedisConnection, completion: @escaping (String?) -> Void) {
        let progress = Progress(missing: commands.count, completion)
        for (command, refusal) in commands {
            let isPing = command.encoded.elementsEqual(RedisHandshake.ping)
            let sink = ReplySink.view { result in
                switch result {
                case .success(let reply) where isPing && reply.string != "PONG":
                    progress.failed("the server answers PING with something else than PONG")
                case .success: progress.succeeded()
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
        private var missing: Int
        private var completion: ((String?) -> Void)?

        init(missing: Int, _ completion: @escaping (String?) -> Void) {
            self.missing = missing
            self.completion = completion
        }

        func succeeded() {
            missing -= 1
            if missing == 0 { finish(nil) }
        }

        func failed(_ reason: String) {
            finish(reason)
        }

        private func finish(_ failure: String?) {
            let completion = completion
            self.completion = nil
            completion?(failure)
        }
    }
}
