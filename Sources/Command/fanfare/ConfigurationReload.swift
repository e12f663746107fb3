import Foundation
import Gateway
import GatewayConfiguration
import LineLog
import Logging
import Reactor
import RedisClient

/// Reloads the configuration of a running gateway. Applies what it can at once, and logs the keys that need a restart.
/// An unusable configuration changes nothing.
final class ConfigurationReload: Sendable {
    /// The keys that apply at once, besides credentials.
    private static let live: Set<String> = ["log.level", "events.ca_file"]

    private let file: String?
    private let level: LogLevelSetting
    private let logger: Logger
    /// The values that the gateway was started with, but for those that have counted since.
    private let inForce: Locked<[String: String?]>

    /// - Parameter level: what the log's level is read from.
    init(_ file: String?, _ level: LogLevelSetting, _ logger: Logger) {
        self.file = file
        self.level = level
        self.logger = logger
        inForce = Locked(ConfigurationReload.values(ConfigurationReload.examine(file)))
    }

    /// SIGHUP has come.
    func asked(_ gateway: Gateway) {
        // That says itself what it finds.
        gateway.readCertificate()
        let report = ConfigurationReload.examine(file)
        let configuration: GatewayConfiguration
        do {
            configuration = try report.checked()
        } catch {
            logger.error(
                "configuration invalid, previous one stays in force",
                metadata: ["problems": "\(report.problems.filter { $0.severity == .error }.map(\.description))"])
            return
        }
        level.level = configuration.log.loggerLevel
        do {
            try gateway.trustReceivers(configuration.events.caFile)
        } catch {
            logger.error(
                "receivers' authorities invalid, previous ones stay in force",
                metadata: ["file": "\(configuration.events.caFile ?? "")"])
        }
        let live = ConfigurationReload.live.union(replaceCredentials(configuration, gateway))
        let now = ConfigurationReload.values(report)
        let (changed, waiting) = inForce.withLock { inForce in
            let different = now.keys.filter { now[$0] != inForce[$0] }.sorted()
            let changed = different.filter { live.contains($0) }
            for key in changed { inForce[key] = now[key] }
            return (changed, different.filter { !changed.contains($0) })
        }
        logger.notice(
            "configuration reloaded",
            metadata: changed.isEmpty ? [:] : ["changed": "\(changed.joined(separator: ", "))"])
        guard !waiting.isEmpty else { return }
        logger.warning(
            "configuration changes need a restart",
            metadata: ["keys": "\(waiting.joined(separator: ", "))"])
    }

    /// Has pushes signed with the credentials that are named now.
    /// - Returns: the keys that count from now on.
    private func replaceCredentials(_ configuration: GatewayConfiguration, _ gateway: Gateway) -> [String] {
        let options: GatewayOptions
        do {
            // Redis is where it was.
            options = try configuration.options(redis: .init(location: .unix(path: "-")))
        } catch {
            logger.error("credentials invalid, previous ones stay in force", metadata: ["reason": "\(error)"])
            return []
        }
        let reload = gateway.replaceCredentials(options)
        return keys(reload.apns, ["key_file", "former_key_files", "key_id", "team_id"]) {
            $0.isEmpty ? "apns" : "apps.\($0)"
        }
            + keys(reload.fcm, ["service_account_file"]) { $0.isEmpty ? "fcm" : "apps.\($0).fcm" }
    }

    /// The keys of the apps whose credentials are in force.
    private func keys(
        _ outcomes: [String: CredentialReload.Outcome], _ fields: [String], section: (String) -> String
    ) -> [String] {
        outcomes.sorted { $0.key < $1.key }.flatMap { app, outcome -> [String] in
            let section = section(app)
            if case .unusable(let reason) = outcome {
                logger.error(
                    "credential invalid, previous one stays in force",
                    metadata: ["key": "\(section)", "reason": "\(reason)"])
            }
            return outcome == .inForce ? fields.map { "\(section).\($0)" } : []
        }
    }

    private static func examine(_ file: String?) -> ConfigurationReport {
        GatewayConfiguration.examine(file: file, environment: ProcessInfo.processInfo.environment)
    }

    private static func values(_ report: ConfigurationReport) -> [String: String?] {
        report.entries.reduce(into: [:]) { $0[$1.key] = $1.value }
    }
}
