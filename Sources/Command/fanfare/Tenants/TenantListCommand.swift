import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists all tenants.",
        discussion: """
            EXAMPLES:
              fanfare tenant list
              fanfare tenant list --json
            """)

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let tenants = try await StoreAccess.with(try options.load()) { try await $0.tenants.tenants() }
        if json {
            let text = JSONWriter.array { array in
                for tenant in tenants { array.object { $0.tenant(tenant) } }
            }
            print(String(decoding: text, as: UTF8.self))
        } else if tenants.isEmpty {
            print("No tenants yet. Create one: fanfare tenant create NAME")
        } else {
            for tenant in tenants {
                let state = tenant.isEnabled ? "" : "  (disabled)"
                print("\(tenant.id)  \(tenant.tier.rawValue)  \(tenant.name)\(state)")
            }
        }
    }
}

extension JSONObjectWriter {
    mutating func tenant(_ tenant: Tenant) {
        field("tenant_id", tenant.id)
        field("name", tenant.name)
        field("tier", tenant.tier.rawValue)
        field("enabled", tenant.isEnabled)
        field("identity_signature_required", tenant.signatures != .none)
        field("identity_signature_version", tenant.signatures.version)
    }
}
