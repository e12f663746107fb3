import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant",
        abstract: "Makes and changes tenants and their keys.",
        subcommands: [Create.self, List.self, RotateKey.self, Disable.self, Enable.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a tenant and shows its keys, this once only: the store keeps their hashes.")

        @Argument(help: "The tenant's name.")
        var name: String

        @Option(help: "What the tenant pays for: \(Tenant.Tier.allCases.map(\.rawValue).joined(separator: ", ")).")
        var tier = "growth"

        @Flag(help: "Take reports of devices only with an identity signature.")
        var requireIdentitySignature = false

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let tier = try Tenant.Tier(rawValue: tier).orThrow("--tier: there is no tier \(tier)")
            let secrets = try await StoreAccess.with(try options.load()) {
                try await $0.createTenant(name: name, tier: tier, requiresIdentitySignature: requireIdentitySignature)
            }
            if json {
                let text = JSONWriter.object {
                    $0.field("tenant_id", secrets.tenantID)
                    $0.field("api_key", secrets.apiKey)
                    $0.field("sdk_key", secrets.sdkKey)
                    $0.field("identity_secret", secrets.identitySecret)
                }
                print(String(decoding: text, as: UTF8.self))
            } else {
                print(
                    """
                    tenant \(secrets.tenantID) (\(name), \(tier.rawValue))
                      api key          \(secrets.apiKey)
                      sdk key          \(secrets.sdkKey)
                      identity secret  \(secrets.identitySecret)
                    Keep them now: they cannot be shown again.
                    """)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all tenants.")

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let tenants = try await StoreAccess.with(try options.load()) { try await $0.tenants() }
            if json {
                let text = JSONWriter.array { array in
                    for tenant in tenants {
                        array.object {
                            $0.field("tenant_id", tenant.id)
                            $0.field("name", tenant.name)
                            $0.field("tier", tenant.tier.rawValue)
                            $0.field("enabled", tenant.isEnabled)
                            $0.field("identity_signature_required", tenant.requiresIdentitySignature)
                        }
                    }
                }
                print(String(decoding: text, as: UTF8.self))
            } else if tenants.isEmpty {
                print("There are no tenants yet. Make one with: fanfare tenant create NAME")
            } else {
                for tenant in tenants {
                    let state = tenant.isEnabled ? "" : "  (disabled)"
                    print("\(tenant.id)  \(tenant.tier.rawValue)  \(tenant.name)\(state)")
                }
            }
        }
    }

    struct RotateKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a tenant a fresh key; the present one opens nothing any more.")

        @Argument(help: "The tenant's id.")
        var tenantID: String

        @Option(help: "Which key: api or sdk.")
        var kind = "api"

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let kind = try GatewayStore.KeyKind(rawValue: kind).orThrow("--kind must be api or sdk")
            let key = try await StoreAccess.with(try options.load()) {
                try await $0.rotateKey(tenantID: tenantID, kind: kind)
            }.orThrow("there is no tenant \(tenantID)")
            let text = JSONWriter.object { $0.field("\(kind.rawValue)_key", key) }
            print(json ? String(decoding: text, as: UTF8.self) : key)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Switches live activities off for a tenant.")

        @Argument(help: "The tenant's id.")
        var tenantID: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await TenantCommand.set(tenantID, enabled: false, options)
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Switches live activities on again for a tenant.")

        @Argument(help: "The tenant's id.")
        var tenantID: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await TenantCommand.set(tenantID, enabled: true, options)
        }
    }

    private static func set(_ tenantID: String, enabled: Bool, _ options: ConfigurationOptions) async throws {
        let isKnown = try await StoreAccess.with(try options.load()) {
            try await $0.setTenant(tenantID, enabled: enabled)
        }
        guard isKnown else { throw CommandFailure("there is no tenant \(tenantID)") }
        print("tenant \(tenantID) is \(enabled ? "enabled" : "disabled")")
    }
}

extension Optional {
    /// The value, or a failure with this text.
    fileprivate func orThrow(_ text: String) throws -> Wrapped {
        guard let self else { throw CommandFailure(text) }
        return self
    }
}
