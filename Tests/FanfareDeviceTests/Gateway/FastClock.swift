import Foundation
import Synchronization

@testable import FanfareDevice

/// A clock that runs thirty times as fast as the system clock, and can be set.
final class FastClock: DeviceClock {
    static let pace = 30.0
    private let begin = Date()
    private let state: Mutex<(draws: SeededDraws, offset: Double)>

    init(seed: UInt64) { state = Mutex((SeededDraws(seed: seed), 0)) }

    func set(by seconds: Double) { state.withLock { $0.offset += seconds } }

    func now() -> Moment {
        let passed = Date().timeIntervalSince(begin) * FastClock.pace
        let offset = state.withLock { $0.offset }
        return Moment(wall: begin.addingTimeInterval(passed + offset), uptime: 1000 + passed)
    }

    func draw() -> Double { state.withLock { $0.draws.fraction() } }

    func sleep(seconds: TimeInterval) async throws {
        try await Task.sleep(for: .seconds(min(seconds, 1e7) / FastClock.pace))
    }
}

/// A system that reports the events of a test.
final class ScriptedSystem: LiveActivitySystem {
    let events: AsyncStream<SystemEvent>
    private let continuation: AsyncStream<SystemEvent>.Continuation
    private let shown: @Sendable () -> [String]
    private let ended = Mutex<[String]>([])
    let type: String

    init(type: String, shown: @escaping @Sendable () -> [String]) {
        (events, continuation) = AsyncStream.makeStream(of: SystemEvent.self)
        self.type = type
        self.shown = shown
    }

    func tell(_ event: SystemEvent) { continuation.yield(event) }

    func end(systemID: String, activityType: String) async {
        ended.withLock { $0.append(systemID) }
        tell(.phase(.dismissed, systemID: systemID))
    }

    func takeInventory() async { tell(.inventory(shown(), activityType: type)) }

    var endedIDs: [String] { ended.withLock { $0 } }
}

/// A transport with faults to a real gateway.
final class FaultyTransport: GatewayTransport {
    enum Mode: String, CaseIterable, Sendable {
        case good, none, answersLost, late, forbidden, limited, unavailable, switchedOff, broken
    }

    private let real = URLSessionTransport()
    private let state: Mutex<(mode: Mode, draws: SeededDraws)>
    private let counts = Mutex<[String: Int]>([:])

    init(seed: UInt64) { state = Mutex((.good, SeededDraws(seed: seed))) }

    var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The number of requests, by method and path.
    var requests: [String: Int] { counts.withLock { $0 } }

    func send(_ call: HTTPCall) async -> GatewayAnswer {
        counts.withLock { $0["\(call.method) \(call.url.path)", default: 0] += 1 }
        let (mode, draw) = state.withLock { ($0.mode, $0.draws.fraction()) }
        switch mode {
        case .good: return await real.send(call)
        case .none: return .notSent
        case .answersLost:
            if draw < 0.5 { _ = await real.send(call) }
            return .unanswered
        case .late:
            // Detached, because a request on the wire arrives even if the app is killed.
            Task.detached { [real] in
                try? await Task.sleep(for: .seconds(draw * 40 / FastClock.pace))
                _ = await real.send(call)
            }
            return .unanswered
        case .forbidden: return ScriptedPhone.refused(403, "QUOTA_EXCEEDED", #","quota":"users""#)
        case .limited: return ScriptedPhone.refused(429, "RATE_LIMITED", retryAfter: 41)
        case .unavailable: return ScriptedPhone.refused(503, "STORE_UNAVAILABLE", retryAfter: 1)
        case .switchedOff: return .answered(status: 202, retryAfter: nil, body: Data(#"{"status":"success"}"#.utf8))
        case .broken: return .answered(status: 200, retryAfter: nil, body: Data("<html>".utf8))
        }
    }
}
