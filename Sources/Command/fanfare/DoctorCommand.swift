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
        abstract: "Checks everything that a gateway needs, and names remedies.",
        discussion: """
            Checks the configuration and its files, Redis (version, rights, eviction, persistence, memory, clock, \
            layout), the secrets that are sealed there, the listener's certificate, and each provider's credential. To \
            check a credential it sends a push to a token that does not exist. It changes nothing, and gateways may \
            run.

            Exits with 0 if it finds no error, even with warnings; otherwise with 1. It also exits with 1 if it could \
            not check Redis, the sealed secrets or a provider, and names what it could not check.

            EXAMPLES:
              fanfare doctor
              fanfare doctor --config /etc/fanfare/fanfare.yaml --json
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    /// Subjects that must be checked; without them the command fails.
    private static let essential = ["redis", "secrets", "provider"]

    func run() async throws {
        let report = GatewayConfiguration.examine(
            file: options.file, environment: ProcessInfo.processInfo.environment)
        var findings = report.problems.map { Finding($0) }
        if findings.isEmpty {
            let source = report.file ?? "no file; defaults and environment"
            findings.append(Finding("configuration", .good, "valid (\(source))"))
        }
        if let configuration = try? report.checked() {
            findings += await examine(configuration)
        }
        // The cause has a finding of its own.
        for subject in DoctorCommand.essential where !findings.contains(where: { $0.subject == subject }) {
            findings.append(Finding(subject, .unknown, "not checked, because of the errors above"))
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
                    "gateway", .error, "the gateway cannot start: \(PlainWords.of(error))",
                    remedy: "fix this first; `fanfare serve` fails in the same way")
            ]
        }
    }

    /// Checks without a private store, and creates none. It tries a redis-server in a temporary folder instead.
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
                "\(directory) has no private store yet; `fanfare serve` creates it. A temporary redis-server was checked"
            ), Finding("secrets", .good, "the store has no secrets yet"),
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

    /// Lines for operators: subject and text, and below them the remedy.
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
