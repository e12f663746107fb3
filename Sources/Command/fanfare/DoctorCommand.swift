import ArgumentParser
import Foundation
import Gateway
import GatewayConfiguration
import GatewayStore
import LiveActivity
import Logging
import RedisServerProcess
import Webhooks

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks at all that a gateway would rest on, and says what to do.",
        discussion: """
            The configuration and its files, Redis (version, rights, eviction, persistence, memory, clock, layout), whether what \
            is sealed there opens, the listener's certificate, and whether each provider takes its credential, asked with a \
            push to a token that is nobody's. Gateways may run meanwhile; nothing is changed.

            Exits with 0 when there is no error (there may be warnings), otherwise with 1, also when it could not look at Redis, \
            at what is sealed there, or at the providers: it says at which of them.

            EXAMPLES:
              fanfare doctor
              fanfare doctor --config /etc/fanfare/fanfare.yaml --json
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    /// What has to be looked at, whatever else is.
    private static let essential = ["redis", "secrets", "provider"]

    func run() async throws {
        let report = GatewayConfiguration.examine(
            file: options.file, environment: ProcessInfo.processInfo.environment)
        var findings = report.problems.map { Finding($0) }
        if findings.isEmpty {
            let source = report.file ?? "no file; defaults and environment"
            findings.append(Finding("configuration", .good, "in order (\(source))"))
        }
        if let configuration = try? report.checked() {
            findings += await examine(configuration)
        }
        // Whatever was in the way has a finding of its own.
        for subject in DoctorCommand.essential where !findings.contains(where: { $0.subject == subject }) {
            findings.append(Finding(subject, .unknown, "could not be looked at, because of what is wrong above"))
        }
        let isWell = !findings.contains { finding in
            finding.severity == .error
                || finding.severity == .unknown && DoctorCommand.essential.contains(finding.subject)
        }
        if json {
            print(String(decoding: DoctorCommand.json(findings, isWell: isWell), as: UTF8.self))
        } else {
            for finding in findings { print(finding.lines) }
        }
        if !isWell { throw ExitCode.failure }
    }

    private func examine(_ configuration: GatewayConfiguration) async -> [Finding] {
        let directory = configuration.redis.dataDirectory
        let isThere =
            configuration.redis.url != nil || RedisServerProcess.isInUse(directory)
            || RedisServerProcess.hasData(directory)
        do {
            return isThere ? try await look(configuration) : try await lookWithoutStore(configuration)
        } catch {
            return [
                Finding(
                    "gateway", .error, "it cannot start: \(PlainWords.of(error))",
                    remedy: "mend this first; `fanfare serve` ends with the same")
            ]
        }
    }

    /// Where nobody has made the private store yet, and neither is it made here. A redis-server is tried in a folder
    /// that is gone afterwards.
    private func lookWithoutStore(_ configuration: GatewayConfiguration) async throws -> [Finding] {
        var trial = configuration
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        trial.redis.dataDirectory = folder.path
        let findings = try await look(trial)
        guard findings.contains(where: { $0.subject == "redis" && $0.severity == .good }) else { return findings }
        let directory = configuration.redis.dataDirectory
        return [
            Finding(
                "redis", .good,
                "there is no private store in \(directory) yet; `fanfare serve` makes it. A redis-server was started for a trial"
            ), Finding("secrets", .good, "nothing is sealed yet"),
        ] + findings.filter { !["redis", "redis.layout", "secrets"].contains($0.subject) }
    }

    private func look(_ configuration: GatewayConfiguration) async throws -> [Finding] {
        let redis = try await RedisAccess.open(configuration)
        do {
            var options = try configuration.options(redis: redis.endpoint)
            if let key = try SealingKeyFile.read(configuration, making: false) {
                options.webhooks.policy.secrets = key.webhooks
                options.identitySecrets = key.identity
                options.sealingKey = SealingKeyName(
                    file: key.path, isConfigured: configuration.events.sealingKeyFile != nil)
            }
            var logger = Logger(label: "fanfare") { _ in SwiftLogNoOpLogHandler() }
            logger.logLevel = .critical
            let findings = try await GatewayDoctor.examine(options, logger: logger)
            await redis.server?.stop()
            return findings
        } catch {
            await redis.server?.stop()
            throw error
        }
    }

    private static func json(_ findings: [Finding], isWell: Bool) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("healthy", isWell)
            writer.array("findings") { array in
                for finding in findings {
                    array.object {
                        $0.field("subject", finding.subject)
                        $0.field("severity", finding.severity.rawValue)
                        $0.field("text", finding.text)
                        $0.field("remedy", finding.remedy)
                    }
                }
            }
        }
    }
}

extension Finding {
    fileprivate init(_ problem: ConfigurationProblem) {
        self.init(
            problem.key ?? "configuration", problem.severity == .error ? .error : .warning, problem.message,
            remedy: problem.advice)
    }

    /// For people: what it is about, what was found, and below that what to do.
    fileprivate var lines: String {
        let mark =
            switch severity {
            case .good: "ok"
            case .unknown: "-"
            case .warning: "warning"
            case .error: "ERROR"
            }
        let head = mark.padding(toLength: 8, withPad: " ", startingAt: 0) + subject + ": " + text
        return remedy.map { "\(head)\n\(String(repeating: " ", count: 8))→ \($0)" } ?? head
    }
}
