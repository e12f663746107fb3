import Foundation
import RedisClient

/// A server between a client and its Redis that sees each command.
final class CommandProxy: Sendable {
    typealias Answer = @Sendable (RespConnection.Message, inout RespConnection) throws -> RespConnection.Message

    let server: String
    private let path: String
    private let listener: Int32

    var endpoint: RedisEndpoint { RedisEndpoint(location: .unix(path: path)) }

    /// - Parameter endpoint: The Redis's unix socket.
    init(to endpoint: RedisEndpoint) throws {
        guard case .unix(let server) = endpoint.location else { throw RespConnection.Closed() }
        self.server = server
        path = "\(server).\(UInt16.random(in: 0 ... .max))"
        listener = try RespConnection.listen(at: path)
    }

    /// Answers commands from now on.
    /// - Parameter answer: Answers a command, by a connection to Redis; called on a thread for each client.
    func serve(_ answer: @escaping Answer) {
        let listener = listener
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in serve(RespConnection(client), answer) }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unlink(path)
    }

    private func serve(_ client: RespConnection, _ answer: Answer) {
        var client = client
        guard var upstream = try? RespConnection(to: server) else { return client.end() }
        while let call = try? client.read(), let reply = try? answer(call, &upstream),
            (try? client.send(reply.raw)) != nil
        {}
        client.end()
        upstream.end()
    }
}
