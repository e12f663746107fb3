import Delivery
import FCM
import FCMCore
import Foundation
import LiveActivity
import PushClient
import Reactor
import TestProvider
import Testing
import TimeCore

@Suite("Access tokens", .serialized) struct AccessTokenSourceTests {
    @Test("The token endpoint is asked with a form whose claims are the account's, signed by its key")
    func request() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage)
            #expect(await (try gateway.push(1)).ended(1))
            let entry = try #require(stage.tokenRequests.first)
            #expect(entry.headers[":method"] == "POST")
            #expect(entry.headers["content-type"] == "application/x-www-form-urlencoded")
            let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            let form = String(decoding: entry.body, as: UTF8.self)
            #expect(form.hasPrefix(prefix))
            let parts = form.dropFirst(prefix.count).split(separator: ".").map(String.init)
            #expect(parts.count == 3)
            let claims = try JSONDocument(parsing: try #require(Self.decoded(parts[1]))).root
            #expect(try claims.member("aud")?.string == "https://localhost:\(stage.provider.port)/token")
            #expect(try claims.member("iat")?.int64 == 1_800_000_000)
            #expect(try claims.member("iss")?.string == "sender@project-1.example")
            let signature = try #require(Self.decoded(parts[2]))
            #expect(try verifies(signature, of: "\(parts[0]).\(parts[1])"))
            await gateway.close()
        }
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
        return Data(base64Encoded: plain + padding).map { Array($0) }
    }

    /// By the openssl command.
    private func verifies(_ signature: [UInt8], of text: String) throws -> Bool {
        let directory = TestIdentity.shared.directory
        try Data(signature).write(to: directory.appendingPathComponent("signature"))
        try Data(text.utf8).write(to: directory.appendingPathComponent("signed"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = directory
        process.arguments = ["openssl", "dgst", "-sha256", "-verify", "rsa.pub", "-signature", "signature", "signed"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test("Two gateways that share have one fetch between them, and what lies there is sealed")
    func shared() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let tokens = TestTokens()
            let first = try FCMGateway(stage, shared: tokens)
            let second = try FCMGateway(stage, shared: tokens)
            let one = try first.push(20)
            let two = try second.push(20)
            #expect(await one.ended(20))
            #expect(await two.ended(20))
            #expect(one.accepted + two.accepted == 40)
            #expect(stage.tokenRequests.count == 1)
            #expect(Set(stage.messages.map(\.authorization)) == ["Bearer ya29.token-1"])
            let state = tokens.state.withLock { $0 }
            #expect(state.leases == 1 && state.unusable == 0)
            let sealed = try #require(state.token?.sealed)
            #expect(sealed.firstRange(of: "ya29".utf8) == nil)
            #expect(state.token.map { (2_990...2_999).contains($0.usableFor) } == true)
            await first.close()
            await second.close()
        }
    }

    @Test("A shared token that is near its end serves, and is renewed meanwhile; one that cannot be read is left alone")
    func renewed() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let tokens = TestTokens()
            let first = try FCMGateway(stage, shared: tokens)
            #expect(await (try first.push(1)).ended(1))
            #expect(await eventually { tokens.state.withLock { $0.token != nil } })
            await first.close()
            tokens.state.withLock { $0.lease = nil }
            // Fifty-two minutes later.
            let second = try FCMGateway(stage, shared: tokens, wallClock: { 1_800_003_120 })
            #expect(await (try second.push(1)).ended(1))
            #expect(await eventually { tokens.state.withLock { $0.token?.issuedAt == 1_800_003_120 } })
            #expect(stage.tokenRequests.count == 2)
            #expect(await second.sender.client.snapshot().counts.authorizations == 2)
            await second.close()
            tokens.state.withLock { state in
                state.lease = nil
                state.token = SharedProviderToken(issuedAt: 1_800_003_120, sealed: [1, 2, 3], usableFor: 0)
            }
            let third = try FCMGateway(stage, shared: tokens, wallClock: { 1_800_003_130 })
            #expect(await (try third.push(1)).ended(1))
            #expect(stage.tokenRequests.count == 3)
            #expect(tokens.state.withLock { $0.unusable == 1 && $0.token?.sealed == [1, 2, 3] })
            await third.close()
        }
    }

    @Test("A token that is called expired while it is young is not at fault, and nobody asks for another")
    func young() async throws {
        let body = #"{"error":{"status":"UNAUTHENTICATED"}}"#
        try await FCMStage.run(FCMStage(messages: { $0 == 1 ? .status(401, body: body) : .status(200, body: "{}") })) {
            stage in
            let gateway = try FCMGateway(stage)
            let pushes = try gateway.push(1)
            #expect(await pushes.ended(1))
            #expect(pushes.reasons == ["UNAUTHENTICATED"])
            #expect(await (try gateway.push(1)).ended(1))
            #expect(stage.tokenRequests.count == 1)
            await gateway.close()
        }
    }

    @Test("A token that is called expired is replaced once, however many answers say so")
    func expired() async throws {
        let body = #"{"error":{"status":"UNAUTHENTICATED"}}"#
        try await FCMStage.run(FCMStage(messages: { $0 <= 10 ? .status(401, body: body) : .status(200, body: "{}") })) {
            stage in
            let tokens = TestTokens()
            let first = try FCMGateway(stage, quota: TestQuota(left: 0), shared: tokens)
            _ = await first.sender.client.probeCredential(.fcm)
            #expect(await eventually { tokens.state.withLock { $0.token != nil } })
            await first.close()
            tokens.state.withLock { $0.lease = nil }
            // Ten minutes later: old enough to be at fault.
            let second = try FCMGateway(stage, shared: tokens, wallClock: { 1_800_000_600 })
            let pushes = try second.push(9)
            #expect(await pushes.ended(9))
            #expect(pushes.reasons == ["UNAUTHENTICATED"])
            #expect(await (try second.push(20)).ended(20))
            #expect(stage.tokenRequests.count == 2)
            #expect(stage.messages.last?.authorization == "Bearer ya29.token-2")
            await second.close()
        }
    }

    @Test(
        "An account that is refused pauses, says why, and is tried again; nothing fails for want of a token",
        arguments: [
            (
                #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#,
                "invalid_grant, Invalid JWT Signature."
            ),
            ("<html>", "status 400"),
        ])
    func refused(body: String, words: String) async throws {
        try await FCMStage.run(
            FCMStage(tokens: { $0 == 1 ? .status(400, body: body) : .status(200, body: FCMStage.token) })
        ) { stage in
            let tokens = TestTokens()
            let gateway = try FCMGateway(stage, shared: tokens)
            let pushes = try gateway.push(5)
            #expect(await eventually { await gateway.sender.client.snapshot().health.isPaused })
            guard case .paused(let reason, _) = await gateway.sender.client.snapshot().health else { return }
            #expect(reason.kind == .credential && reason.text.contains(words), "\(reason.text)")
            #expect(stage.messages.isEmpty)
            #expect(await pushes.ended(5))
            #expect(pushes.accepted == 5, "\(pushes.outcomes)")
            #expect(stage.tokenRequests.count == 2)
            #expect(await eventually { !(await gateway.sender.client.snapshot().health.isPaused) })
            #expect(tokens.state.withLock { $0.returned == 1 && $0.leases == 2 })
            await gateway.close()
        }
    }

    @Test("An endpoint that is not there pauses with that reason")
    func away() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage, change: { $0.tokenURL = "https://localhost:1/token" })
            _ = try gateway.push(5)
            #expect(await eventually { await gateway.sender.client.snapshot().health.isPaused })
            guard case .paused(let reason, _) = await gateway.sender.client.snapshot().health else { return }
            #expect(
                reason.kind == .credential && reason.text.contains("the token endpoint: no connection"),
                "\(reason.text)")
            #expect(reason.name == "NoAuthorization" && stage.messages.isEmpty)
            await gateway.close()
        }
    }
}
