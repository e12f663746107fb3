import CNghttp2
import Encodings
import Foundation
import HTTPCalls
import MockFeed
import Reactor
import TestProvider
import Testing
import TimeCore

@Suite("Rare HTTP calls", .serialized) struct CallClientTests {
    @Test("A request is sent unchanged, and the answer arrives whole with any status")
    func whole() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { _, _, _ in
                .status(201, body: #"{"a":1}"#, retryAfter: 7, fields: ["apns-channel-id": "abc="])
            }
            let result = await stage.call(
                .post, "/1/apps/x/channels", fields: [("content-type", "text/plain"), ("authorization", "bearer s")],
                body: Array("hello".utf8))
            let answer = try #require(result.answer)
            #expect(answer.status == 201 && answer.body == Array(#"{"a":1}"#.utf8) && answer.retryAfter == .seconds(7))
            #expect(answer[field: "apns-channel-id"] == "abc=" && answer[field: "x-other"] == nil)
            let entry = try #require(stage.provider.ledger.first)
            #expect(entry.path == "/1/apps/x/channels" && entry.body == Array("hello".utf8))
            #expect(entry.headers[":method"] == "POST" && entry.headers["content-length"] == "5")
            #expect(entry.headers["content-type"] == "text/plain" && entry.headers["authorization"] == "bearer s")
            #expect(entry.headers[":authority"] == "localhost:\(stage.provider.port)")
        }
    }

    @Test("A status alone is an answer, 200 with it, and a DELETE has no body")
    func bare() async throws {
        try await CallStage.run(CallStage()) { stage in
            let first = try #require(await stage.call().answer)
            #expect(first.status == 200 && first.body.isEmpty && first.retryAfter == nil)
            stage.provider.script = { _, _, _ in .status(204) }
            #expect(await stage.call(.delete, "/x").answer?.status == 204)
            #expect(stage.provider.ledger.last?.headers[":method"] == "DELETE")
            #expect(stage.provider.ledger.last?.headers["content-length"] == nil)
        }
    }

    @Test("A server that speaks HTTP/1.1 over TLS is answered to as well")
    func olderProtocol() async throws {
        let directory = "/tmp/fanfare-calls-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = MockFeed.Options()
        options.directory = directory
        let mock = try await MockFeed.start(options)
        mock.set(MockFeedScript(topics: "[1]"))
        let client = try CallClient(CallClient.Options(caFile: mock.caFile))
        let answer = await client.call(HTTPCall(.get, mock.url), deadline: .seconds(60)).answer
        #expect(answer?.body == Array(#"{"topics":[1]}"#.utf8))
        client.close()
        await mock.stop()
    }

    @Test("A list of 400 KB is read to its end, a body of 200 KB is sent, and longer answers are refused")
    func large() async throws {
        try await CallStage.run(CallStage { $0.bodyLimit = 500_000 }) { stage in
            let list = String(repeating: "0123456789", count: 40_000)
            stage.provider.script = { _, _, _ in .status(200, body: list) }
            #expect(await stage.call().answer?.body == Array(list.utf8))
            let body = [UInt8](repeating: 0x61, count: 200_000)
            #expect(await stage.call(.post, "/x", body: body).answer?.body.count == 400_000)
            #expect(stage.provider.ledger.last?.body == body)
            stage.provider.script = { _, _, path in
                .status(200, body: String(repeating: "x", count: path == "/just" ? 500_000 : 500_001))
            }
            #expect(await stage.call(.get, "/just").answer?.body.count == 500_000)
            let failure = await stage.call().failure
            #expect(failure?.kind == .tooLong && failure?.description == "the answer has more than 500000 bytes")
            // The connection is as good as before.
            stage.provider.script = { _, _, _ in .accept }
            #expect(await stage.call().answer?.status == 200)
            #expect(stage.provider.connectionsAccepted == 1)
        }
    }

    @Test(
        "Silence, a body without an end, and a server without a free stream end at the deadline; then another connection is used"
    )
    func silence() async throws {
        try await CallStage.run(CallStage()) { stage in
            for (number, answer) in [TestProvider.Answer.silence, .statusAlone(200)].enumerated() {
                stage.provider.script = { count, _, _ in count == 2 * number + 1 ? answer : .accept }
                let failure = await stage.call(deadline: .milliseconds(200)).failure
                #expect(failure?.kind == .timeout && failure?.mayHaveBeenProcessed == true)
                #expect(await stage.call().answer?.status == 200)
                #expect(stage.provider.connectionsAccepted == number + 2)
            }
        }
        try await CallStage.run(CallStage()) { stage in
            stage.provider.initialLimit = 0
            #expect(await stage.call(deadline: .milliseconds(500)).failure?.kind == .timeout)
            stage.provider.initialLimit = 1_000
            #expect(await stage.call().answer?.status == 200)
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test(
        "After an answer that blames the server the next call opens another connection",
        arguments: [421, 500, 503])
    func blamed(status: Int) async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in count == 1 ? .status(status) : .status(429) }
            for expected in [status, 429, 429] {
                #expect(await stage.call().answer?.status == UInt16(expected))
            }
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test("A call beside one whose answer blames the server keeps its connection to its end")
    func besideBlamed() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { _, _, path in
                path == "/slow" ? .silence : path == "/blamed" ? .status(503) : .accept
            }
            async let slow = stage.call(.get, "/slow", deadline: .milliseconds(400))
            while stage.provider.requests == 0 { await Task.yield() }
            #expect(await stage.call(.get, "/blamed").answer?.status == 503)
            #expect(await stage.call().answer?.status == 200)
            #expect(await slow.failure?.kind == .timeout)
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test("A GOAWAY after an answer keeps the answer, and the next call opens another connection")
    func goAway() async throws {
        // The GOAWAY comes before the next call, while it is sent, or after.
        for _ in 0..<40 {
            try await CallStage.run(CallStage()) { stage in
                stage.provider.script = { count, _, _ in
                    count == 1 ? .goAway(inclusive: true) : .status(200, body: "b")
                }
                #expect(await stage.call().answer?.status == 200)
                #expect(await stage.call().answer?.body == Array("b".utf8))
                #expect(stage.provider.connectionsAccepted == 2)
            }
        }
    }

    @Test("A call that a connection takes along may have been processed, and the next call succeeds")
    func lost() async throws {
        for answer in [TestProvider.Answer.closeAbruptly, .reset(NGHTTP2_INTERNAL_ERROR.rawValue)] {
            try await CallStage.run(CallStage()) { stage in
                stage.provider.script = { count, _, _ in count == 1 ? answer : .accept }
                let failure = await stage.call().failure
                #expect(failure?.kind == .connection && failure?.mayHaveBeenProcessed == true, "\(answer)")
                #expect(failure?.description.hasPrefix("the connection was lost") == true)
                #expect(await stage.call().answer?.status == 200)
            }
        }
    }

    @Test("A call whose stream is refused, or above the GOAWAY, is sent again, at most three times")
    func again() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in
                switch count {
                case 1, 2: .reset(NGHTTP2_REFUSED_STREAM.rawValue)
                case 3: .goAway(inclusive: false)
                default: .status(200, body: "well")
                }
            }
            #expect(await stage.call().answer?.body == Array("well".utf8))
            #expect(stage.provider.requests == 4)
            stage.provider.script = { _, _, _ in .reset(NGHTTP2_REFUSED_STREAM.rawValue) }
            let failure = await stage.call().failure
            #expect(failure?.kind == .refused && failure?.mayHaveBeenProcessed == false)
            #expect(stage.provider.requests == 8)
        }
    }

    @Test("A server that is silent before TLS is no connection, and nothing may have been processed")
    func silentBeforeTLS() async throws {
        let (descriptor, port) = try Socket.listen(on: #require(SocketAddress(numericHost: "127.0.0.1", port: 0)))
        defer { Socket.close(descriptor) }
        try await CallStage.run(CallStage(port: port) { $0.connectTimeout = .milliseconds(200) }) { stage in
            let failure = await stage.call().failure
            #expect(failure?.mayHaveBeenProcessed == false, "\(String(describing: failure))")
            #expect(failure?.description.hasPrefix("no connection") == true)
        }
    }

    @Test("A body that is not wanted is not waited for")
    func unwanted() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in count == 1 ? .statusAlone(503) : .accept }
            let call = HTTPCall(.get, "https://localhost:\(stage.provider.port)/x") { $0 < 500 }
            let answer = await stage.client.call(call, deadline: .seconds(60)).answer
            #expect(answer?.status == 503 && answer?.body.isEmpty == true)
        }
    }

    @Test("Many calls at once share one connection, and each gets its own answer")
    func many() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { _, _, path in .status(200, body: path) }
            let answers = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask { await stage.call(.get, "/\(number)").answer?.body == Array("/\(number)".utf8) }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(answers == 50 && stage.provider.connectionsAccepted == 1)
        }
    }

    @Test("A refused connection and a foreign certificate fail at once with the reason")
    func refused() async throws {
        try await CallStage.run(CallStage(port: 1)) { stage in
            let failure = await stage.call().failure
            #expect(failure?.description == "no connection: Connection refused")
            #expect(failure?.kind == .connection && failure?.mayHaveBeenProcessed == false)
        }
        try await CallStage.run(CallStage(authority: TestIdentity.shared.otherAuthority)) { stage in
            let failure = await stage.call().failure
            #expect(failure?.description == "no connection: the certificate is not trusted")
            #expect(failure?.kind == .tls && failure?.mayHaveBeenProcessed == false)
            #expect(stage.provider.requests == 0)
        }
    }

    @Test("Calls go through a proxy, and a proxy that opens no tunnel is named")
    func proxy() async throws {
        for (manner, isWell) in [(TestProxy.Manner.tunnel, true), (.tunnelFor("Basic other"), false)] {
            let proxy = try TestProxy(manner)
            defer { proxy.stop() }
            let url = try ProxyURL("http://user:word@127.0.0.1:\(proxy.port)")
            try await CallStage.run(CallStage(proxy: url)) { stage in
                let result = await stage.call()
                #expect((result.answer?.status == 200) == isWell)
                #expect(isWell || result.failure?.description.contains("407") == true, "\(result)")
                #expect(!proxy.heads.isEmpty)
            }
        }
    }

    @Test("Closing the client ends the calls under way, and later calls open no connection")
    func closed() async throws {
        let stage = try CallStage()
        stage.provider.script = { _, _, _ in .silence }
        async let open = stage.call()
        while stage.provider.requests == 0 { await Task.yield() }
        stage.client.close()
        #expect(await open.failure?.mayHaveBeenProcessed == true)
        let later = await stage.call().failure
        #expect(later?.description == "shut down" && later?.mayHaveBeenProcessed == false)
        #expect(stage.provider.connectionsAccepted == 1)
        await stage.close()
    }

    @Test("A cancelled task gives its call up at once, and a client that is let go closes its connections")
    func cancelled() async throws {
        let provider = try TestProvider()
        provider.script = { count, _, _ in count == 1 ? .silence : .accept }
        var client: CallClient? = try CallClient(CallClient.Options(caFile: TestIdentity.shared.authority))
        let call = HTTPCall(.get, "https://localhost:\(provider.port)/x")
        let asking = Task { [client] in await client?.call(call, deadline: .seconds(600)) }
        while provider.requests == 0 { await Task.yield() }
        asking.cancel()
        #expect(await asking.value?.failure?.kind == .timeout)
        #expect(await client?.call(call, deadline: .seconds(60)).answer?.status == 200)
        client = nil
        await provider.stop()
    }

    @Test("A call for a reactor's thread completes on it")
    func reactor() async throws {
        try await CallStage.run(CallStage()) { stage in
            let reactor = try Reactor(name: "calls")
            let isThere = await reactor.call(stopped: false) { done in
                let call = HTTPCall(.get, "https://localhost:\(stage.provider.port)/x")
                stage.client.call(call, deadline: .seconds(60), on: reactor) { result in
                    done(reactor.isOnReactor && result.answer?.status == 200)
                }
            }
            #expect(isThere)
            reactor.stop()
        }
    }
}
