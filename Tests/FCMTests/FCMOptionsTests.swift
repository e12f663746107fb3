import FCM
import Foundation
import PushClient
import Reactor
import Secrets
import TLS
import TestProvider
import Testing

@Suite("What FCM is set up from") struct FCMOptionsTests {
    private func failure(_ change: (inout FCMOptions, FCMStage) throws -> Void) async throws -> String {
        let stage = try FCMStage()
        let reactor = try Reactor(name: "options")
        defer { reactor.stop() }
        var options = stage.options
        try change(&options, stage)
        var text = "nothing"
        do {
            _ = try FCMSender(reactor: reactor, options: options, quota: { _ in TestQuota() })
        } catch {
            text = error.description
        }
        await stage.provider.stop()
        return text
    }

    @Test("Whatever is wrong is named at the start")
    func named() async throws {
        #expect(try await failure { _, _ in } == "nothing")
        #expect(
            try await failure { options, _ in options.serviceAccountFile = "/nowhere" }
                == "the key file /nowhere is unusable: No such file or directory")
        let cases: [(String, String)] = [
            ("{", "not valid JSON"), (#"{"type":"user"}"#, #""type" must be "service_account""#),
        ]
        for (text, words) in cases {
            let found = try await failure { options, _ in
                try Data(text.utf8).write(to: URL(fileURLWithPath: options.serviceAccountFile))
            }
            #expect(found.contains(words), "\(found)")
        }
        let directory = TestIdentity.shared.directory
        for (key, words) in [("key.p8", "not an RSA key"), ("weak.p8", "1024 bits")] {
            let found = try await failure { options, stage in
                try FCMStage.writeAccount(
                    to: options.serviceAccountFile, port: 1, keyFile: directory.appendingPathComponent(key).path)
            }
            #expect(found.contains(words), "\(found)")
        }
        #expect(try await failure { options, _ in options.tokenURL = "http://x/token" }.contains("https://"))
        #expect(try await failure { options, _ in options.push.url = "https://x/y" }.contains("https://x/y"))
        #expect(try await failure { options, _ in options.push.trust = .file("/none.pem") }.contains("/none.pem"))
        #expect(
            try await failure { options, _ in options.messages.messagesPerMinute = 0 }.contains("messages per minute"))
    }

    @Test("A sealing key is the account's private key's, whatever else the file says")
    func sealing() async throws {
        let stage = try FCMStage()
        let other = stage.accountFile + ".other"
        try FCMStage.writeAccount(to: other, port: 7)
        let one = try #require(try ServiceAccountFile.sealingKey(ofFile: stage.accountFile, label: "a"))
        let two = try #require(try ServiceAccountFile.sealingKey(ofFile: other, label: "a"))
        let third = try #require(try ServiceAccountFile.sealingKey(ofFile: other, label: "b"))
        let sealed = try #require(one.seal([1, 2, 3], context: []))
        #expect(two.open(sealed, context: []) == [1, 2, 3] && third.open(sealed, context: []) == nil)
        await stage.provider.stop()
    }
}
