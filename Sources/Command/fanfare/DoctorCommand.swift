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

            Exits with 0 when there is no error (there may be warnings), otherwise with 1.

            EXAMPLES:
              fanfare doctor
              fanfare doctor --config /etc/fanfare/fanfare.yaml --json
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

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
        } else {
            findings.append(
                Finding("redis", .unknown, "not looked at, nor the providers: the configuration cannot be used"))
        }
        let isWell = !findings.contains { $0.severity == .error }
        if json {
            print(String(decoding: DoctorCommand.json(findings, isWell: isWell), as: UTF8.self))
        } else {
            for finding in findings { print(finding.lines) }
        }
        if !isWell { throw ExitCode.failure }
    }

    private func examine(_ configuration: GatewayConfiguration) async -> [Finding] {
        let directory = configuration.redis.dataDirectory
        guard
            configuration.redis.url != nil || RedisServerProcess.isInUse(directory)
                || RedisServerProcess.hasData(directory)
        else {
            return [
                Finding(
                    "redis", .unknown,
                    """
                    there is no private store in \(directory) yet; `fanfare serve` makes it. The providers are not asked \
                    either
                    """)
            ]
        }
        do {
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
        } catch {
            return [Finding("gateway", .error, "it cannot start: \(PlainWords.of(error))")]
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
