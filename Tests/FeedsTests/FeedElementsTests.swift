import FeedCore
import GatewayStore
import LiveActivity
import Reactor
import Testing

@testable import Feeds

@Suite("Elements of a feed")
struct FeedElementsTests {
    /// Takes an element by what its `topic` says.
    private final class Receiver: FeedReceiver {
        let taken = Locked<[String]>([])
        /// True until the store has failed, if others wait for that.
        let awaitsFailure = Locked(false)
        private let underWay = Locked<(now: Int, most: Int)>((0, 0))

        var most: Int { underWay.withLock { $0.most } }

        func admits(tenantID: String) async throws(StoreError) -> Bool { true }

        func take(_ element: JSONValue, tenantID: String) async throws(StoreError) -> ElementOutcome {
            underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<20 { await Task.yield() }
            defer { underWay.withLock { $0.now -= 1 } }
            let name = (try? element.member("topic"))?.string ?? ""
            while name != "x", awaitsFailure.withLock({ $0 }) { await Task.yield() }
            taken.withLock { $0.append(name) }
            switch name.prefix(1) {
            case "u": return .unchanged
            case "s": return .stale
            case "b": return .refused(.init(topic: name, code: "C", text: "bad", isFinal: true))
            case "l": return .refused(.init(topic: name, code: "C", text: "later", isFinal: false))
            case "x":
                awaitsFailure.withLock { $0 = false }
                throw .unavailable("gone")
            default: return .changed
            }
        }
    }

    private static func elements(_ names: [String]) throws -> [JSONValue] {
        let text = "{\"topics\":[\(names.map { "{\"topic\":\"\($0)\"}" }.joined(separator: ","))]}"
        return try #require(FeedDocument(Array(text.utf8))).elements
    }

    private func take(
        _ names: [String], _ receiver: Receiver = Receiver(), mayGoOn: @escaping @Sendable () -> Bool = { true }
    ) async throws -> FeedElements.Tally {
        await FeedElements(receiver: receiver, tenantID: "t", mayGoOn: mayGoOn).take(try Self.elements(names))
    }

    @Test("One that is bad is passed over, and the others are taken; each outcome is counted")
    func outcomes() async throws {
        let receiver = Receiver()
        let tally = try await take(["a", "u", "b", "s", "c"], receiver)
        #expect(tally.counts == ["changed": 2, "unchanged": 1, "stale": 1, "refused": 1])
        #expect(tally.refusals == [2: .init(topic: "b", code: "C", text: "bad", isFinal: true)])
        #expect(tally.isWhole && tally.isSettled)
        #expect(Set(receiver.taken.withLock { $0 }) == ["a", "u", "b", "s", "c"])
    }

    @Test("What could be taken later leaves the feed unsettled")
    func unsettled() async throws {
        let tally = try await take(["a", "l"])
        #expect(tally.isWhole && !tally.isSettled)
    }

    @Test("Of a topic that is there twice the first one counts")
    func twice() async throws {
        let receiver = Receiver()
        let tally = try await take(["a", "c", "a"], receiver)
        #expect(receiver.taken.withLock { $0 }.sorted() == ["a", "c"])
        #expect(tally.refusals[2]?.text == "topic: the feed names this topic twice" && tally.isWhole)
    }

    @Test("Ten thousand are handed on some at a time, all of them")
    func many() async throws {
        let receiver = Receiver()
        let tally = try await take((0..<10_000).map { "t\($0)" }, receiver)
        #expect(tally.counts == ["changed": 10_000] && tally.isWhole)
        #expect((2...32).contains(receiver.most))
    }

    @Test("When the store is away, or the lease is lost, no more are handed on, and that is told")
    func brokenOff() async throws {
        let receiver = Receiver()
        receiver.awaitsFailure.withLock { $0 = true }
        let names = ["x"] + (0..<1000).map { "t\($0)" }
        #expect(try await !take(names, receiver).isWhole)
        #expect(receiver.taken.withLock { $0.count } < 200)
        let left = Locked(5)
        let other = Receiver()
        let tally = try await take(names.dropFirst().map { $0 }, other) {
            left.withLock {
                $0 -= 1; return $0 >= 0
            }
        }
        #expect(!tally.isWhole && other.taken.withLock { $0.count } == 5)
    }

    @Test(
        "A document is an object with an array of topics",
        arguments: [
            ("{\"topics\":[1,{}],\"more\":2}", 2), ("\u{FEFF}{\"topics\":[{}]}", 1), ("{\"topics\":[]}", 0),
            ("[]", nil), ("{}", nil),
            ("{\"topics\":{}}", nil), ("{\"topics\":[}", nil), ("", nil), ("{\"topics\":[],\"topics\":[]}", nil),
        ])
    func documents(_ text: String, _ count: Int?) {
        #expect(FeedDocument(Array(text.utf8))?.elements.count == count)
    }

    @Test("Only host and port of a URL are shown")
    func hosts() {
        for (url, host) in [
            ("https://h/a?b=secret", "h"), ("http://127.0.0.1:81", "127.0.0.1:81"), ("https://[::1]:2?x", "[::1]:2"),
        ] { #expect(FeedOptions(number: 0, tenantID: "t", url: url).host == host) }
    }
}
