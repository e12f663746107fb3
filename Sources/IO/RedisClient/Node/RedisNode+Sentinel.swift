import Reactor
import TimeCore

extension RedisNode {
    /// Asks a sentinel for the primary's address, and connects there. A sentinel that does not know it is passed over.
    /// The attempt's deadline bounds all of this.
    /// - Parameter signsIn: True to sign in with the servers' credentials if the sentinel demands a sign-in.
    func askSentinel(for name: String, on connection: RedisConnection, signsIn: Bool = true) {
        let question = RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)
        say(question, on: connection) { [weak self] result in
            guard let self, connection === self.connection, case .connecting = life.state else { return }
            switch result {
            case .success(let reply):
                if let parts = reply.array, parts.count == 2, let host = parts[0].string,
                    let port = parts[1].string.flatMap({ UInt16($0) })
                {
                    follow(connection, to: host, port)
                } else {
                    pass(over: connection, "it does not monitor a primary named \(name)")
                }
            case .failure(.rejected(let message)):
                guard signsIn, message.hasPrefix("NOAUTH"), let signIn = RedisHandshake.signIn(endpoint) else {
                    return pass(over: connection, message)
                }
                // A refused sign-in shows in the reply to the second question.
                say(signIn, on: connection) { _ in }
                askSentinel(for: name, on: connection, signsIn: false)
            case .failure(let error): pass(over: connection, "\(error)")
            }
        }
    }

    private func follow(_ sentinel: RedisConnection, to host: String, _ port: UInt16) {
        isAtSentinel = false
        connection = nil
        sentinel.retire("the sentinel has answered")
        resolve(host, port)
    }

    private func pass(over sentinel: RedisConnection, _ reason: String) {
        isPassedOver = true
        sentinel.close("the sentinel named no primary: \(reason)")
    }

    private func say(
        _ command: RedisCommand, on connection: RedisConnection,
        completion: @escaping (Result<RedisValue, RedisError>) -> Void
    ) {
        let sink = ReplySink.view { completion($0.map { $0.copy() }) }
        let never = MonotonicTime(nanoseconds: .max)
        connection.send(
            command.asProbe(), PendingCall(sink: sink, sent: reactor.now, deadline: never, command: nil))
    }
}
