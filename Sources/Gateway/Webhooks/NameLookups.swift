import Encodings
import EventCore
import TimeCore

/// Resolves the names of receivers, in the order and number of `LookupQueue`.
actor NameLookups {
    enum Failure: Error, CustomStringConvertible {
        /// The lookup took too long.
        case timedOut
        /// The lookup got no place in time, which says nothing about the name.
        case neverBegan

        var description: String {
            switch self {
            case .timedOut: "no answer in time"
            case .neverBegan: "this gateway has too many concurrent name look-ups"
            }
        }
    }

    private struct Asker {
        let continuation: CheckedContinuation<[IPAddress], any Error>
        let timer: Task<Void, Never>
    }

    private let resolve: @Sendable (String) async throws -> [IPAddress]
    private var queue = LookupQueue()
    private var askers: [UInt64: Asker] = [:]
    private var lastTicket: UInt64 = 0
    /// The number of lookups that got no place in time.
    private var neverBegan: UInt64 = 0

    /// - Parameter resolve: Resolves a name, without a time limit.
    init(_ resolve: @escaping @Sendable (String) async throws -> [IPAddress]) {
        self.resolve = resolve
    }

    /// Returns the addresses of a name; throws at the latest after `limit`.
    func addresses(of name: String, for tenantID: String, within limit: TimeInterval) async throws -> [IPAddress] {
        lastTicket += 1
        let ticket = lastTicket
        return try await withCheckedThrowingContinuation { continuation in
            let pause = limit.duration
            let timer = Task {
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                self.gaveUp(ticket)
            }
            askers[ticket] = Asker(continuation: continuation, timer: timer)
            if queue.asked(ticket, name, by: tenantID) { begin(name) }
        }
    }

    var use: WebhookUse {
        WebhookUse(capacity: LookupQueue.capacity, used: queue.underWay, waits: neverBegan)
    }

    private func begin(_ name: String) {
        Task {
            let result: Result<[IPAddress], any Error>
            do { result = .success(try await resolve(name)) } catch { result = .failure(error) }
            let (told, next) = queue.ended(name)
            for name in next { begin(name) }
            for ticket in told { answer(ticket, result) }
        }
    }

    private func gaveUp(_ ticket: UInt64) {
        guard askers[ticket] != nil else { return }
        let hadBegun = queue.gaveUp(ticket)
        if !hadBegun { neverBegan += 1 }
        answer(ticket, .failure(hadBegun ? Failure.timedOut : Failure.neverBegan))
    }

    private func answer(_ ticket: UInt64, _ result: Result<[IPAddress], any Error>) {
        guard let asker = askers.removeValue(forKey: ticket) else { return }
        asker.timer.cancel()
        asker.continuation.resume(with: result)
    }
}
