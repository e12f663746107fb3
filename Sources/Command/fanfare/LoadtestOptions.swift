import ArgumentParser
import Foundation
import GatewayConfiguration
import LoadTest
import TimeCore

/// The options of all load tests.
struct LoadtestOptions: ParsableArguments {
    @Option(help: "URL of the gateway.")
    var url = "http://127.0.0.1:8080"

    @Option(
        name: .customLong("i-own-this-host"),
        help: ArgumentHelp("Confirms that you own the host in --url, if it is not this machine.", valueName: "host"))
    var ownedHost: String?

    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp("Certificates (PEM) to trust in place of the system's.", valueName: "file"),
        completion: .file(extensions: ["pem", "crt"]))
    var caFile: String?

    @Option(help: "Number of devices.")
    var devices = 1000

    @Option(help: ArgumentHelp("Number of the first device.", valueName: "number"))
    var firstDevice = 0

    @Option(help: "Seed of devices, tokens and arrivals. The same seed gives the same values.")
    var seed: UInt64 = 1

    @Option(
        help: "Timeout of a call, and of a late call that waits to be sent.", transform: LoadtestOptions.duration)
    var timeout = Duration.seconds(60)

    @Option(help: ArgumentHelp("Maximum number of requests in a run.", valueName: "number"))
    var maxRequests = 1_000_000

    @Option(
        name: .customLong("identity-secret"),
        help: ArgumentHelp(
            """
            The tenant's identity secret, if its devices must sign; in the order of the SDK keys. Prefer \
            FANFARE_LOADTEST_IDENTITY_SECRET.
            """, valueName: "secret"))
    var identitySecrets: [String] = []

    @Option(help: "Version of the signatures, 1 or 2. They are valid for a day.")
    var signatureVersion = 2

    @Option(
        name: .customLong("mock"),
        help: ArgumentHelp(
            """
            Control port of a mock behind the gateway, like http://127.0.0.1:2198; repeat the option for several \
            mocks. The report then compares the content of each phone with the expected content.
            """, valueName: "url"))
    var mocks: [String] = []

    @Flag(help: "Exit with 0 even if calls failed.")
    var allowFailures = false

    @Flag(help: "Exit with 0 if calls failed only because of the rate limit (429).")
    var allowRateLimited = false

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    var target: LoadTarget {
        var target = LoadTarget()
        target.url = url
        target.ownedHost = ownedHost
        target.caFile = caFile
        target.timeout = timeout.interval
        target.seed = seed
        target.firstDevice = firstDevice
        target.devices = devices
        target.mocks = mocks
        target.run = Int(Date().timeIntervalSince1970 * 1000)
        target.maximumRequests = maxRequests
        target.signatureVersion = signatureVersion
        target.signatureExpiry = Int64(Date().timeIntervalSince1970) + 86_400
        return target
    }

    /// The tenants' identity secrets; empty if devices need no signature.
    var secrets: [String] {
        LoadtestOptions.keys(identitySecrets, variable: "FANFARE_LOADTEST_IDENTITY_SECRET")
    }

    /// Returns the identity secret of the only tenant. Throws if several are given.
    func secret() throws -> String? {
        let secrets = secrets
        guard secrets.count <= 1 else {
            throw ValidationError("the devices belong to one tenant: give one identity secret, not \(secrets.count)")
        }
        return secrets.first
    }

    /// Reads a duration, like `30s`, `500ms` or `2m`.
    @Sendable static func duration(_ text: String) throws -> Duration {
        guard let duration = DurationText.parse(text) else {
            throw ValidationError("\"\(text)\" is not a duration; write 500ms, 30s, 2m or 1h")
        }
        return duration
    }

    /// Returns keys from options, or else from an environment variable with commas between them.
    static func keys(_ given: [String], variable: String) -> [String] {
        guard given.isEmpty else { return given }
        return (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Runs a check, and turns its error into one that argument parsing prints with the usage.
    static func checked(_ check: () throws -> Void) throws {
        do { try check() } catch let error as LoadTestError { throw ValidationError(error.description) }
    }
}

extension Duration {
    /// The duration for load tests; a negative one becomes zero.
    var interval: TimeCore.TimeInterval { .seconds(self / .seconds(1)) }
}
