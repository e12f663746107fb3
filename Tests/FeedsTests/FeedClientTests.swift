import FeedCore
import Foundation
import MockFeed
import NIOHTTP1
import Testing
import TimeCore

@testable import Feeds

@Suite("Asking a feed", .serialized)
struct FeedClientTests {
    /// - Parameter usesTLS: whether the mock speaks TLS, and the client trusts it.
    private func run(
        usesTLS: Bool = false, trusts: Bool = true, headers: String = "",
        _ body: (FeedClient, MockFeed) async throws -> Void
    ) async throws {
        let directory = "/tmp/fanfare-feed-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var mockOptions = MockFeed.Options()
        if usesTLS { mockOptions.directory = directory }
        let mock = try await MockFeed.start(mockOptions)
        var options = FeedOptions(number: 0, tenantID: "t", url: mock.url)
        options.timeout = .seconds(10)
        options.maximumBytes = 10_000
        options.headers = try FeedHeaders(file: Array(headers.utf8))
        if trusts { options.caFile = mock.caFile }
        let client = try FeedClient(options)
        let result: Result<Void, any Error>
        do { result = .success(try await body(client, mock)) } catch { result = .failure(error) }
        client.close()
        await mock.stop()
        try result.get()
    }

    private func failure(_ answer: FeedClient.Answer) -> FeedFailure? {
        if case .failed(let failure, _, _) = answer { failure } else { nil }
    }

    @Test("A request after the end of the client opens no connection")
    func closed() async throws {
        let client = try FeedClient(FeedOptions(number: 0, tenantID: "t", url: "http://127.0.0.1:1/"))
        client.close()
        // A client that is opened now is never shut down, which ends the process.
        #expect(failure(await client.get(after: nil)) == .timeout)
    }

    @Test(
        "What is new comes whole with its tag, what is known as a word; nothing is asked for compressed",
        arguments: [false, true])
    func conditional(usesTLS: Bool) async throws {
        try await run(usesTLS: usesTLS, headers: "X-Key: k\nAccept: text/x\nX-Key: l\n") { client, mock in
            mock.set(MockFeedScript(topics: "[1]"))
            guard case .whole(let bytes, let tag) = await client.get(after: nil) else {
                Issue.record("no whole answer")
                return
            }
            #expect(String(decoding: bytes, as: UTF8.self) == #"{"topics":[1]}"#)
            guard case .unchanged = await client.get(after: tag) else {
                Issue.record("it is asked for again")
                return
            }
            mock.set(MockFeedScript(topics: "[2]"))
            guard case .whole(_, let newTag) = await client.get(after: tag) else {
                Issue.record("what is new does not come")
                return
            }
            #expect(newTag != tag)
            let requests = mock.requests
            #expect(requests.map(\.status) == [200, 304, 200])
            for request in requests {
                #expect(request.headers["x-key"] == ["k", "l"] && request.headers["accept"] == ["text/x"])
                #expect(request.headers["accept-encoding"].isEmpty && request.headers["user-agent"] == ["fanfare"])
            }
        }
    }

    @Test("A status is a failure with the wish for a pause, and a redirect is not followed")
    func statuses() async throws {
        try await run { client, mock in
            for (status, failure) in [(404, FeedFailure.refused), (503, .server), (302, .redirect), (429, .refused)] {
                var fault = MockFeedFault(.status)
                (fault.status, fault.retryAfter) = (status, "9")
                mock.set(fault: fault)
                guard case .failed(failure, TimeInterval.seconds(9), "status \(status)") = await client.get(after: nil)
                else {
                    Issue.record("\(status) is no failure")
                    continue
                }
            }
            #expect(mock.requestCount == 4)
        }
    }

    @Test("A body that is too long, a connection that ends, and a port where nobody listens are failures")
    func broken() async throws {
        try await run { client, mock in
            mock.set(fault: MockFeedFault(.huge))
            #expect(failure(await client.get(after: nil)) == .tooLarge)
            mock.set(fault: MockFeedFault(.reset))
            #expect(failure(await client.get(after: nil)) == .connection)
            mock.set(fault: nil)
            #expect(failure(await client.get(after: nil)) == nil)
            await mock.stop()
            #expect(failure(await client.get(after: nil)) == .connection)
        }
    }

    @Test("An answer whose head or end does not come is given up", arguments: [MockFeedFault.Kind.delay, .stall])
    func late(_ kind: MockFeedFault.Kind) async throws {
        let mock = try await MockFeed.start(MockFeed.Options())
        var fault = MockFeedFault(kind)
        fault.delay = .seconds(600)
        mock.set(fault: fault)
        var options = FeedOptions(number: 0, tenantID: "t", url: mock.url)
        options.timeout = .milliseconds(200)
        let client = try FeedClient(options)
        #expect(failure(await client.get(after: nil)) == .timeout)
        #expect(mock.requestCount == 1)
        client.close()
        await mock.stop()
    }

    @Test("A certificate that is not trusted is no feed")
    func certificates() async throws {
        try await run(usesTLS: true, trusts: false) { client, mock in
            #expect(failure(await client.get(after: nil)) == .tls)
            #expect(mock.requestCount == 0)
        }
    }

    @Test("A client that is stopped gives up at once")
    func cancelled() async throws {
        try await run { client, mock in
            var fault = MockFeedFault(.delay)
            fault.delay = .seconds(600)
            mock.set(fault: fault)
            let asking = Task { await client.get(after: nil) }
            while mock.requestCount == 0 { await Task.yield() }
            asking.cancel()
            #expect(failure(await asking.value) == .timeout)
        }
    }
}
