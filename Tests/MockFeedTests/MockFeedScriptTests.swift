import MockKit
import NIOHTTP1
import Testing
import TimeCore

@testable import MockFeed

@Suite("The mock of a feed")
struct MockFeedScriptTests {
    private let start = MonotonicTime.now()

    private func state(_ json: String) throws -> MockFeedState {
        var state = MockFeedState()
        state.set(try MockFeedScript(json: Array(json.utf8)), now: start)
        return state
    }

    private func reply(
        _ state: inout MockFeedState, after seconds: Int = 0, _ headers: HTTPHeaders = [:]
    ) -> (status: Int, headers: HTTPHeaders, body: String, delay: TimeInterval)? {
        guard
            case .reply(let status, let headers, let body, let delay) = state.received(
                headers, now: start + .seconds(seconds))
        else { return nil }
        return (status, headers, String(decoding: body, as: UTF8.self), delay)
    }

    @Test("Each step is said from its time on, byte for byte, and has a tag of its own")
    func steps() throws {
        var state = try state(#"{"steps": [{"topics": [ {"a":1.0} ]}, {"after_ms": 2000, "topics": []}]}"#)
        let first = try #require(reply(&state))
        #expect(first.status == 200 && first.body == #"{"topics":[ {"a":1.0} ]}"#)
        let tag = try #require(first.headers.first(name: "etag"))
        #expect(reply(&state, after: 1, ["if-none-match": tag])?.status == 304)
        let second = try #require(reply(&state, after: 2, ["if-none-match": tag]))
        #expect(second.status == 200 && second.body == #"{"topics":[]}"#)
        #expect(second.headers.first(name: "etag") != tag)
        #expect(state.count == 3 && state.countsByStatus == [200: 2, 304: 1])
        #expect(state.requests.map(\.status) == [200, 304, 200])
    }

    @Test("Faults are for so many requests")
    func faults() throws {
        var state = try state(
            #"{"fault": {"kind": "status", "status": 429, "retry_after": "7", "limit": 2}, "etags": false}"#)
        for _ in 0..<2 {
            let failed = try #require(reply(&state))
            #expect(failed.status == 429 && failed.headers.first(name: "retry-after") == "7" && failed.body.isEmpty)
        }
        let well = try #require(reply(&state))
        #expect(well.status == 200 && well.headers.first(name: "etag") == nil)
        state.set(MockFeedFault(.malformed))
        #expect(reply(&state)?.body == "{\"topics\": [")
        var huge = MockFeedFault(.huge)
        huge.bytes = 1234
        state.set(huge)
        #expect(reply(&state)?.body.utf8.count == 1234)
        state.set(MockFeedFault(.reset))
        #expect(reply(&state) == nil)
        #expect(state.countsByStatus[0] == 1)
    }

    @Test(
        "A script with anything else in it is refused, and the place is named",
        arguments: [
            ("[]", "the script: must be an object"), (#"{"step": []}"#, "step: unknown; did you mean \"steps\"?"),
            (#"{"steps": [{"after_ms": 5, "topics": []}, {"topics": []}]}"#, "steps[1]: must not come before"),
            (#"{"steps": [{"topics": {}}]}"#, "steps[0].topics: must be an array"),
            (#"{"steps": [{}]}"#, "steps[0].topics: is required"),
            (#"{"fault": {"kind": "slow"}}"#, "fault.kind: must be one of"),
            (#"{"fault": {"kind": "reset", "status": 500}}"#, "fault.status: is only for the kind status"),
            (#"{"fault": {"kind": "status", "status": 200}}"#, "fault.status: must be a whole number from 300 to 599"),
        ])
    func refused(_ json: String, _ words: String) {
        do {
            _ = try MockFeedScript(json: Array(json.utf8))
            Issue.record("it is taken")
        } catch {
            #expect(error.description.hasPrefix(words), "\(error)")
        }
    }

    @Test("The match that is played without a script is one")
    func match() throws {
        let script = try MockFeedScript(json: MockFeedScript.match)
        #expect(script.steps.count == 6 && script.steps.last?.after == .seconds(75))
    }
}
