import Encodings
import Foundation
import GatewayConfiguration
import Testing

@Suite("The configuration of events")
struct EventsTests {
    @Test("Every key is read from the file")
    func keys() throws {
        let files = try TemporaryFiles()
        let key = try files.write("webhooks.key", String(repeating: "k", count: 32))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let events = try files.examine(
            """
            events:
              sealing_key_file: \(key)
              former_sealing_key_files: [\(key), \(key)]
              stream_length: 500
              max_webhooks: 3
              max_pending: 200
              max_dead_letters: 300
              dead_letter_lifetime: 2h
              receiver_timeout: 5s
              allow_private_receivers: true
              allowed_receivers: [10.1.0.0/16, "fd00::/8"]
              allow_plain_http: true
            """
        ).checked().events
        #expect(events.sealingKeyFile == key && events.streamLength == 500 && events.maxWebhooks == 3)
        #expect(events.formerSealingKeyFiles == [key, key])
        #expect(events.maxPending == 200 && events.maxDeadLetters == 300)
        #expect(events.deadLetterLifetime == .seconds(7200) && events.receiverTimeout == .seconds(5))
        #expect(events.allowsPrivateReceivers && events.allowsPlainHTTP)
        #expect(events.allowedBlocks == [AddressBlock("10.1.0.0/16"), AddressBlock("fd00::/8")])
    }

    @Test("Blocks of addresses that are none are refused", arguments: ["10.1.0.0/33", "example.com", "10.1"])
    func blocks(text: String) throws {
        let report = try TemporaryFiles().examine("events:\n  allowed_receivers: [\"\(text)\"]\n")
        #expect(
            report.problems(of: "events.allowed_receivers").map(\.message) == [
                "\"\(text)\" is not an address or CIDR block."
            ])
        let variable = try TemporaryFiles().examine("", ["FANFARE_EVENTS_ALLOWED_RECEIVERS": "10.0.0.1,\(text)"])
        #expect(variable.problems(of: "events.allowed_receivers").count == 1)
    }

    @Test("The key's file must be there and long enough, and is better its owner's alone")
    func keyFile() throws {
        let files = try TemporaryFiles()
        let missing = try files.examine("events: {sealing_key_file: /no/such/file}\n")
        #expect(
            missing.problems(of: "events.sealing_key_file").first?.message
                == "The file \"/no/such/file\" does not exist.")
        let former = try files.examine("", ["FANFARE_EVENTS_FORMER_SEALING_KEY_FILES": "/no/such/file,/nor/this"])
        #expect(
            former.problems(of: "events.former_sealing_key_files").map(\.message) == [
                "The file \"/no/such/file\" does not exist.", "The file \"/nor/this\" does not exist.",
            ])
        #expect(former.errors.allSatisfy { !$0.advice.contains("urandom") }, "one that was is not made anew")
        #expect(missing.errors.contains { $0.advice.contains("urandom") })
        let short = try files.write("short.key", String(repeating: "k", count: 31))
        let refused = try files.examine("events: {sealing_key_file: \(short)}\n")
        #expect(refused.problems(of: "events.sealing_key_file").first?.severity == .error)
        let open = try files.write("open.key", String(repeating: "k", count: 32))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        let warned = try files.examine("events: {sealing_key_file: \(open)}\n")
        #expect(warned.problems(of: "events.sealing_key_file").first?.severity == .warning)
    }
}
