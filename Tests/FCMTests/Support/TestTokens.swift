import Delivery
import Reactor
import TimeCore

/// A place where gateways share tokens, in memory.
final class TestTokens: Sendable {
    struct State {
        var token: SharedProviderToken?
        var lease: Int?
        var leases = 0
        var returned = 0
        var unusable = 0
        var isAway = false
        var clients = 0
    }

    let state = Locked(State())

    func client(on reactor: Reactor) -> any SharedProviderTokens {
        Client(
            self, reactor,
            state.withLock { state in
                state.clients += 1
                return state.clients
            })
    }

    private final class Client: SharedProviderTokens {
        private let tokens: TestTokens
        private let reactor: Reactor
        private let number: Int

        init(_ tokens: TestTokens, _ reactor: Reactor, _ number: Int) {
            self.tokens = tokens
            self.reactor = reactor
            self.number = number
        }

        private func later(_ body: @escaping () -> Void) {
            nonisolated(unsafe) let body = body
            reactor.execute { body() }
        }

        func exchange(
            _ offer: SharedProviderToken?, refused: UInt64?, minimumInterval: UInt64, for account: ProviderAccount,
            completion: @escaping (SharedProviderTokenReply) -> Void
        ) {
            let reply = tokens.state.withLock { state -> SharedProviderTokenReply in
                if state.isAway { return .unavailable }
                if let present = state.token, offer == nil || present.issuedAt != refused { return .shared(present) }
                guard let offer else { return .nothing }
                state.token = offer
                return .taken
            }
            later { completion(reply) }
        }

        func takeLease(
            for account: ProviderAccount, time: TimeInterval, completion: @escaping (TokenLeaseReply) -> Void
        ) {
            let reply = tokens.state.withLock { [number] state -> TokenLeaseReply in
                if state.isAway { return .unavailable }
                if state.lease != nil { return .another }
                state.lease = number
                state.leases += 1
                return .taken
            }
            later { completion(reply) }
        }

        func returnLease(for account: ProviderAccount) {
            tokens.state.withLock { [number] state in
                guard state.lease == number else { return }
                state.lease = nil
                state.returned += 1
            }
        }

        func unusableTokenFound(for account: ProviderAccount) { tokens.state.withLock { $0.unusable += 1 } }
    }
}
