import CNghttp2
import Encodings
import ProviderCalls
import TLS
import TestProvider
import Testing
import TimeCore

@Suite("Calls to a provider", .serialized) struct CallClientTests {
    private let get = ProviderCall(.get, "/all")

    @Test("A request is sent unchanged, and the answer arrives whole with any status")
    func whole() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { _, _, _ in
                .status(201, body: #"{"a":1}"#, retryAfter: 7, fields: ["apns-channel-id": "abc=", "x-other": "no"])
            }
            let call = ProviderCall(
                .post, "/1/apps/x/channels",
                fields: [.init("content-type", "text/plain"), .init("secret", "s", isSecret: true)],
                body: Array("hello".utf8), askedFields: ["apns-channel-id"])
            let answer = try #require(await stage.call(call).answer)
            #expect(answer.status == 201 && answer.body == Array(#"{"a":1}"#.utf8) && answer.retryAfter == 7)
            #expect(answer[field: "apns-channel-id"] == "abc=" && answer.fields.count == 1)
            let entry = try #require(stage.provider.ledger.first)
            #expect(entry.path == "/1/apps/x/channels" && entry.body == Array("hello".utf8))
            #expect(entry.headers[":method"] == "POST" && entry.headers["content-length"] == "5")
            #expect(entry.headers["content-type"] == "text/plain" && entry.headers["secret"] == "s")
            #expect(entry.headers[":authority"] == "localhost:\(stage.provider.port)")
        }
    }

    @Test("A status alone is an answer, 200 with it, and a DELETE has no body")
    func bare() async throws {
        try await CallStage.run(CallStage()) { stage in
            #expect(await stage.call(get).answer == ProviderAnswer(status: 200))
            stage.provider.script = { _, _, _ in .status(204) }
            #expect(await stage.call(ProviderCall(.delete, "/x")).answer == ProviderAnswer(status: 204))
            #expect(stage.provider.ledger.last?.headers[":method"] == "DELETE")
            #expect(stage.provider.ledger.last?.headers["content-length"] == nil)
        }
    }

    @Test("A list of 400 KB is read to its end, a body of 200 KB is sent, and longer answers are refused")
    func large() async throws {
        try await CallStage.run(CallStage { $0.bodyLimit = 500_000 }) { stage in
            let list = String(repeating: "0123456789", count: 40_000)
            stage.provider.script = { _, _, _ in .status(200, body: list) }
            #expect(await stage.call(get).answer?.body == Array(list.utf8))
            let body = [UInt8](repeating: 0x61, count: 200_000)
            #expect(await stage.call(ProviderCall(.post, "/x", body: body)).answer?.body.count == 400_000)
            #expect(stage.provider.ledger.last?.body == body)
            stage.provider.script = { _, _, path in
                .status(200, body: String(repeating: "x", count: path == "/just" ? 500_000 : 500_001))
            }
            #expect(await stage.call(ProviderCall(.get, "/just")).answer?.body.count == 500_000)
            let failure = await stage.call(get).failure
            #expect(failure == ProviderCallFailure("the answer has more than 500000 bytes", mayHaveBeenProcessed: true))
            // The connection is as good as before.
            stage.provider.script = { _, _, _ in .accept }
            #expect(await stage.call(get).answer?.status == 200)
            #expect(stage.provider.connectionsAccepted == 1)
        }
    }

    @Test("Silence ends at the deadline, and the next call finds another connection")
    func silence() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in count == 1 ? .silence : .accept }
            let failure = await stage.call(get, deadline: .milliseconds(200)).failure
            #expect(failure == ProviderCallFailure("no answer in time", mayHaveBeenProcessed: true))
            #expect(await stage.call(get).answer?.status == 200)
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test("A call that the provider allowed no stream until its deadline leaves the connection")
    func shut() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.initialLimit = 0
            let failure = await stage.call(get, deadline: .milliseconds(500)).failure
            #expect(failure?.mayHaveBeenProcessed == false)
            stage.provider.initialLimit = 1_000
            #expect(await stage.call(get).answer?.status == 200)
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
                #expect(await stage.call(get).answer?.status == UInt16(expected))
            }
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test("A call that waited beside one whose answer blames the server gets another connection")
    func waitingBesideBlamed() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.initialLimit = 1
            stage.provider.script = { count, _, _ in count == 1 ? .status(503) : .accept }
            async let first = stage.call(get, deadline: .seconds(5))
            async let second = stage.call(get, deadline: .seconds(5))
            #expect(await [first.answer?.status ?? 0, second.answer?.status ?? 0].sorted() == [200, 503])
        }
    }

    @Test("A body whose end does not come is no answer")
    func unfinished() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { _, _, _ in .statusAlone(200) }
            let failure = await stage.call(get, deadline: .milliseconds(200)).failure
            #expect(failure == ProviderCallFailure("no answer in time", mayHaveBeenProcessed: true))
        }
    }

    @Test("A refused stream, and a stream above the GOAWAY, are sent again")
    func again() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in
                switch count {
                case 1, 2: .reset(NGHTTP2_REFUSED_STREAM.rawValue)
                case 3: .goAway(inclusive: false)
                default: .status(200, body: "well")
                }
            }
            #expect(await stage.call(get).answer?.body == Array("well".utf8))
            #expect(stage.provider.connectionsAccepted == 2)
            stage.provider.script = { _, _, _ in .reset(NGHTTP2_REFUSED_STREAM.rawValue) }
            let failure = await stage.call(get).failure
            #expect(failure == ProviderCallFailure("the provider refuses the stream", mayHaveBeenProcessed: false))
        }
    }

    @Test("A GOAWAY after an answer keeps the answer, and the next call opens another connection")
    func goAway() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in count == 1 ? .goAway(inclusive: true) : .status(200, body: "b") }
            #expect(await stage.call(get).answer?.status == 200)
            #expect(await stage.call(get).answer?.body == Array("b".utf8))
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test("A call whose connection is lost may have been processed")
    func lost() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { count, _, _ in
                count == 1 ? .closeAbruptly : count == 2 ? .reset(NGHTTP2_INTERNAL_ERROR.rawValue) : .accept
            }
            let lost = await stage.call(get).failure
            #expect(lost?.mayHaveBeenProcessed == true && lost?.reason.hasPrefix("the connection was lost") == true)
            let reset = await stage.call(get).failure
            #expect(
                reset == ProviderCallFailure("the provider reset the stream (error code 2)", mayHaveBeenProcessed: true)
            )
            #expect(await stage.call(get).answer?.status == 200)
        }
    }

    @Test("Many calls at once take turns on one connection, and each gets its own answer")
    func many() async throws {
        try await CallStage.run(CallStage()) { stage in
            stage.provider.script = { _, _, path in .status(200, body: path) }
            let answers = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        await stage.call(ProviderCall(.get, "/\(number)")).answer?.body == Array("/\(number)".utf8)
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(answers == 50 && stage.provider.connectionsAccepted == 1)
        }
    }

    @Test("A connection that is idle is closed, and the next call opens another")
    func idle() async throws {
        try await CallStage.run(CallStage { $0.idleTime = .zero }) { stage in
            // The next one may still catch it.
            for _ in 0..<1_000 where stage.provider.connectionsAccepted < 2 {
                #expect(await stage.call(get).answer?.status == 200)
            }
            #expect(stage.provider.connectionsAccepted == 2)
        }
    }

    @Test("A refused connection and a foreign certificate fail at once with the reason, and nothing is sent")
    func refused() async throws {
        try await CallStage.run(CallStage(port: 1)) { stage in
            let failure = await stage.call(get).failure
            #expect(failure?.reason.contains("refused") == true && failure?.mayHaveBeenProcessed == false)
        }
        try await CallStage.run(CallStage(trust: .file(TestIdentity.shared.otherAuthority))) { stage in
            let failure = await stage.call(get).failure
            #expect(failure?.reason.contains("certificate") == true, "\(failure?.reason ?? "none")")
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
                let result = await stage.call(get)
                #expect((result.answer?.status == 200) == isWell)
                #expect(isWell || result.failure?.reason.contains("407") == true, "\(result)")
                #expect(!proxy.heads.isEmpty)
            }
        }
    }

    @Test("Closing the client ends the calls under way, and later calls fail")
    func closed() async throws {
        let stage = try CallStage()
        stage.provider.script = { _, _, _ in .silence }
        async let open = stage.call(get)
        while stage.provider.requests == 0 { await Task.yield() }
        await stage.close()
        #expect(await open.failure == ProviderCallFailure("shut down", mayHaveBeenProcessed: true))
        #expect(await stage.call(get).failure?.reason == "stopped")
    }
}
