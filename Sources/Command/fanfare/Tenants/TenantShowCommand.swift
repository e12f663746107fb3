import ArgumentParser
import GatewayConfiguration
import GatewayStore
import LiveActivity
import TimeCore

struct TenantShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a tenant's tier, state, app, keys and limits.",
        discussion: """
            Each key appears as the first digits of its SHA-256. To identify a key, run `printf %s KEY | sha256sum`.

            EXAMPLES:
              fanfare tenant show shop
            """)

    @OptionGroup var tenant: TenantArgument

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    private static let digits = 12

    func run() async throws {
        let configuration = try options.load()
        let (found, secrets) = try await StoreAccess.with(configuration) { try await tenant.find(in: $0) }
        let app = configuration.app(of: found.id)
        if json { printJSON(found, secrets, app) } else { printWords(found, secrets, app) }
    }

    private typealias App = (name: String, bundleID: String)

    private func printJSON(_ found: Tenant, _ secrets: [TenantSecretState], _ app: App?) {
        let text = JSONWriter.object { writer in
            writer.tenant(found)
            writer.field("app", app?.name)
            writer.field("bundle_id", app?.bundleID)
            writer.object("limits") { object in
                for limit in TenantLimits.Limit.allCases {
                    object.field(limit.name, found.limits[limit] == 0 ? nil : found.limits[limit])
                }
            }
            writer.array("keys") { array in
                for secret in secrets {
                    array.object {
                        $0.field("kind", secret.kind.rawValue)
                        $0.field("sha256", String(secret.hash.prefix(Self.digits)))
                        $0.field("valid_until", secret.until?.rfc3339)
                    }
                }
            }
        }
        print(String(decoding: text, as: UTF8.self))
    }

    private func printWords(_ found: Tenant, _ secrets: [TenantSecretState], _ app: App?) {
        let state = found.isEnabled ? "on" : "off: customers get 403, device reports are dropped (202)"
        let bundle = app.map { "\($0.bundleID) (\($0.name))" } ?? "not in the configuration of this command"
        print(
            """
            tenant \(found.id) (\(found.name))
              tier             \(found.tier.rawValue)
              live activities  \(state)
              signatures       \(found.signatures.words)
              app              \(bundle)
            """)
        for secret in secrets {
            let until = secret.until.map { ", replaced, until \($0.rfc3339)" } ?? ""
            let name = secret.kind.words.padding(toLength: 17)
            print("  \(name)\(secret.hash.prefix(Self.digits))…\(until)")
        }
        print("  limits")
        for limit in TenantLimits.Limit.allCases { print("    \(found.limits.line(limit))") }
    }
}

extension GatewayConfiguration {
    /// The app that a tenant's activities are pushed to: its name under `apps`, or `apns` for the default one.
    func app(of tenantID: String) -> (name: String, bundleID: String)? {
        if let app = apps.first(where: { $0.tenants.contains(tenantID) }) {
            return ("apps.\(app.name)", app.credentials.bundleID)
        }
        return apns.credentials.map { ("apns", $0.bundleID) }
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
