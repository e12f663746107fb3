import TestSupport
import Testing
import TimeCore

@testable import RedisClient

@Suite struct ConnectionLifeTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private let backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))

    private func connecting() -> RedisConnectionLife {
        var life = RedisConnectionLife(backoff: backoff, connectDeadline: .seconds(2))
        _ = life.started(start)
        return life
    }

    private func ready() -> RedisConnectionLife {
        var life = connecting()
        _ = life.handshakeCompleted(start)
        return life
    }

    @Test func commandsWaitForTheFirstAttemptAndFlowWhenItHasSucceeded() {
        var life = RedisConnectionLife(backoff: backoff, connectDeadline: .seconds(2))
        #expect(life.started(start) == [.scheduleConnectDeadline(start + .seconds(2)), .publishState, .open])
        #expect(life.state == .connecting(since: start))
        #expect(life.admission(start + .seconds(1)) == .wait)
        #expect(life.publicState == .connecting)
        #expect(life.handshakeCompleted(start) == [.cancelConnectDeadline, .publishState, .releaseWaiting])
        #expect(life.admission(start) == .send)
        #expect(life.publicState == .connected)
    }

    @Test func aFailedAttemptRefusesCommandsAtOnceAndIsRepeatedAfterTheBackoff() {
        var life = connecting()
        let retry = start + .milliseconds(50)
        #expect(
            life.attemptFailed("refused", start, random: 1)
                == [.cancelConnectDeadline, .scheduleRetry(retry), .publishState, .failWaiting(reason: "refused")])
        #expect(life.state == .backingOff(until: retry))
        #expect(life.admission(start) == .refuse(reason: "refused"))
        #expect(life.publicState == .disconnected(since: start, reason: "refused"))
        _ = life.retryDue(retry)
        #expect(life.state == .connecting(since: retry))
        #expect(life.admission(retry) == .wait)
        #expect(life.admission(retry + .milliseconds(300)) == .refuse(reason: "refused"))
        #expect(life.publicState == .disconnected(since: start, reason: "refused"))
    }

    @Test func theConnectDeadlineClosesTheAttempt() {
        var life = connecting()
        let now = start + .seconds(2)
        #expect(life.connectDeadlinePassed(now, random: 0).first == .close(reason: "no connection within 2000 ms"))
        #expect(life.state == .backingOff(until: now + .milliseconds(25)))
        #expect(life.connectDeadlinePassed(now, random: 0) == [])
    }

    @Test func aStableConnectionThatIsLostIsReplacedAtOnce() {
        var life = ready()
        let now = start + .seconds(1)
        #expect(life.connectionLost("end", now, random: 0).last == .open)
        #expect(life.state == .connecting(since: now))
        #expect(life.admission(now) == .wait)
    }

    @Test func aConnectionThatIsLostAtOnceCountsAsAFailure() {
        var life = ready()
        for round in 1...6 {
            _ = life.connectionLost("end", start, random: 1)
            #expect(life.failures == round)
            #expect(life.admission(start) == .refuse(reason: "end"))
            _ = life.retryDue(start)
            _ = life.handshakeCompleted(start)
        }
        _ = life.connectionLost("end", start + .seconds(5), random: 1)
        #expect(life.failures == 0)
    }

    @Test func nothingIsOpenedAfterShutdown() {
        for var life in [connecting(), ready()] {
            #expect(life.shutDown().contains(.failWaiting(reason: "the client has been shut down")))
            #expect(life.state == .shutDown)
            #expect(life.shutDown() == [])
            #expect(life.retryDue(start) == [])
            #expect(life.handshakeCompleted(start) == [])
            #expect(life.connectionLost("late", start, random: 0) == [])
            #expect(life.attemptFailed("late", start, random: 0) == [])
            #expect(life.state == .shutDown)
            #expect(life.publicState == .shutDown)
        }
    }

    @Test func noWalkOpensTwoConnectionsOrForgetsToTryAgain() {
        let seed = TestSeed.current
        print("seed \(seed)")
        var random = seed
        func next(_ bound: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % bound
        }
        for _ in 0..<200 {
            var life = RedisConnectionLife(backoff: backoff, connectDeadline: .seconds(2))
            var now = start
            var isOpen = false
            var retry: MonotonicTime?
            func apply(_ actions: [RedisConnectionLife.Action]) {
                for action in actions {
                    switch action {
                    case .open:
                        #expect(!isOpen && life.state != .shutDown, "seed \(seed)")
                        isOpen = true
                    case .close: isOpen = false
                    case .scheduleRetry(let time):
                        #expect(time > now && time <= now + .seconds(2), "seed \(seed)")
                        retry = time
                    default: break
                    }
                }
            }
            apply(life.started(now))
            for _ in 0..<100 {
                now = now + .milliseconds(Int(next(1500)))
                switch next(20) {
                case 0...5 where isOpen: apply(life.handshakeCompleted(now))
                case 6...9 where isOpen:
                    isOpen = false
                    apply(life.connectionLost("lost", now, random: Double(next(100)) / 100))
                case 10...12: apply(life.connectDeadlinePassed(now, random: 0.5))
                case 13...18 where retry.map { $0 <= now } == true:
                    retry = nil
                    apply(life.retryDue(now))
                case 19 where next(20) == 0: apply(life.shutDown())
                default: break
                }
                switch life.state {
                case .connecting, .ready: #expect(isOpen, "seed \(seed)")
                case .backingOff: #expect(!isOpen && retry != nil, "seed \(seed)")
                case .shutDown: #expect(!isOpen, "seed \(seed)")
                case .idle: Issue.record("idle after start, seed \(seed)")
                }
            }
        }
    }
}
