import APNs
import APNsCore
import ArgumentParser
import Delivery
import FCM
import Glibc
import LiveActivity
import PushClient
import Reactor
import TLS
import TimeCore

/// Pushes as fast as the provider takes them, through the push client alone: no store, no gateway. Prints what it cost.
@main
struct PushBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-benchmark", abstract: "Measures the push client alone, against a provider on this machine.")

    @Option(help: "The provider.")
    var url: String
    @Option(help: "What the mock was told as --out-dir: certificates and keys.")
    var directory: String
    @Flag(help: "The provider is FCM, of `fanfare mock-fcm`.")
    var fcm = false
    @Option(help: "Pushes to send.")
    var pushes = 200_000
    @Option(help: "Bytes of the payload.")
    var bytes = 400
    @Option(help: "Connections at most.")
    var connections = 4

    func run() async throws {
        let reactor = try Reactor(name: "pushes")
        let (client, run) = try fcm ? android(on: reactor) : apns(on: reactor)
        let before = PushBenchmark.processorTime()
        let begin = MonotonicTime.now()
        await run.carryOut()
        let seconds = Double((MonotonicTime.now() - begin).nanoseconds) / 1_000_000_000
        let processor = PushBenchmark.processorTime() - before
        await client.shutdown(deadline: .seconds(5))
        reactor.stop()
        print(
            """
            {"pushes":\(pushes),"bytes":\(bytes),"accepted":\(run.accepted),"seconds":\(seconds),\
            "processor_seconds":\(processor),"processor_seconds_per_100000":\(processor / Double(pushes) * 100_000)}
            """)
        guard run.accepted == pushes else { throw ExitCode.failure }
    }

    private func apns(on reactor: Reactor) throws -> (PushClient, PushRun) {
        let credential = ProviderCredential(
            keyFile: "\(directory)/key.p8", keyIdentifier: try text("key_id"), teamIdentifier: try text("team_id"))
        var options = PushClientOptions(url: url, trust: .file("\(directory)/ca.pem"))
        options.maximumConnections = connections
        let client = try PushClient(reactor: reactor, options: options, credential: credential)
        let sender = try APNsSender(client, bundleIdentifier: try text("bundle_id"))
        return (client, PushRun(sender, on: reactor, try template(), tokens: .binary, count: pushes))
    }

    private func android(on reactor: Reactor) throws -> (PushClient, PushRun) {
        var options = FCMOptions(
            serviceAccountFile: "\(directory)/service-account.json", url: url, trust: .file("\(directory)/ca.pem"))
        options.push.maximumConnections = connections
        let sender = try FCMSender(reactor: reactor, options: options, quota: { _ in NoQuota() })
        let state =
            Array(#"{"text":""#.utf8) + repeatElement(UInt8(ascii: "x"), count: max(0, bytes - 11)) + Array(#""}"#.utf8)
        let content =
            Array(#"{"aps":{"timestamp":1795000000,"event":"update","content-state":"#.utf8) + state + Array("}}".utf8)
        let intent = Intent(
            broadcast: .random(), activity: .random(), event: .update, content: content,
            expiration: WallTime.now().seconds + 600, priority: .immediate, destination: .devices)
        guard let message = sender.render(intent) else { throw ExitCode.failure }
        return (sender.client, PushRun(sender, on: reactor, message, tokens: .text, count: pushes))
    }

    private func template() throws -> PushTemplate {
        let topic = PushHeaders.liveActivityTopic(bundleIdentifier: try text("bundle_id"))
        let head = Array(#"{"aps":{"timestamp":1,"event":"update","content-state":{"text":""#.utf8)
        let tail = Array(#""}}}"#.utf8)
        let body = head + repeatElement(UInt8(ascii: "x"), count: max(0, bytes - head.count - tail.count)) + tail
        let identifier = PushIdentifier(broadcast: UniqueID(high: 7, low: 7))
        return try PushTemplate(
            destination: .updateToken, event: .update,
            headers: try PushHeaders(topic: topic, priority: .immediate, expiration: 0), identifier: identifier,
            body: body)
    }

    private func text(_ name: String) throws -> String {
        let path = "\(directory)/\(name)"
        guard let file = fopen(path, "r") else { throw ValidationError("cannot read \(path)") }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { throw ValidationError("\(path) is empty") }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// User and system time of this process in seconds.
    private static func processorTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }
}
