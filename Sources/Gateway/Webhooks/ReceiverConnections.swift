import Encodings
import NIOCore
import Reactor

/// A connection to a receiver, with its handler of answers.
struct ReceiverConnection: Sendable {
    let channel: any Channel
    let answers: NIOLoopBound<AnswerHandler>
}

/// Idle connections to receivers, for the next delivery to the same place. From any thread.
final class ReceiverConnections: Sendable {
    /// The target and tenant of a connection. A connection is used neither for another tenant, nor for an address that
    /// was not checked for the delivery.
    struct Place: Hashable, Sendable {
        let tenantID: String
        let isSecure: Bool
        let host: String
        let port: Int
        let address: IPAddress
    }

    private struct Resting {
        let connection: ReceiverConnection
        let since: NIODeadline
    }

    /// The maximum number of idle connections to one place, and to all.
    static let limits = (place: 4, all: 256)
    /// The time after which an idle connection is closed. Most servers close theirs after a minute or more.
    static let patience = TimeAmount.seconds(20)

    private let resting = Locked<[Place: [Resting]]>([:])

    /// Returns the most recently used connection; nil if there is none.
    func take(_ place: Place) -> ReceiverConnection? {
        let oldest = NIODeadline.now() - ReceiverConnections.patience
        return resting.withLock { resting in
            while let next = resting[place]?.popLast() {
                if resting[place]?.isEmpty == true { resting[place] = nil }
                if next.connection.channel.isActive, next.since > oldest { return next.connection }
                next.connection.channel.close(promise: nil)
            }
            return nil
        }
    }

    /// Keeps a connection after a complete answer, or closes it at the limit.
    func rest(_ connection: ReceiverConnection, at place: Place) {
        let isKept = resting.withLock { resting in
            guard resting[place]?.count ?? 0 < ReceiverConnections.limits.place,
                resting.values.reduce(0, { $0 + $1.count }) < ReceiverConnections.limits.all
            else { return false }
            resting[place, default: []].append(Resting(connection: connection, since: .now()))
            return true
        }
        guard isKept else { return connection.channel.close(promise: nil) }
        connection.channel.eventLoop.scheduleTask(in: ReceiverConnections.patience) { [weak self] in
            self?.closeRested(at: place)
        }
    }

    /// Closes all idle connections.
    func close() {
        let all = resting.withLock { resting in
            defer { resting = [:] }
            return resting.values.joined()
        }
        for each in all { each.connection.channel.close(promise: nil) }
    }

    private func closeRested(at place: Place) {
        let oldest = NIODeadline.now() - ReceiverConnections.patience
        let old = resting.withLock { resting in
            let old = resting[place]?.filter { $0.since <= oldest } ?? []
            resting[place]?.removeAll { $0.since <= oldest }
            if resting[place]?.isEmpty == true { resting[place] = nil }
            return old
        }
        for each in old { each.connection.channel.close(promise: nil) }
    }
}
