import ArgumentParser
import GatewayConfiguration
import GatewayStore

struct TenantSetTierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-tier",
        abstract: "Changes what a tenant pays for.",
        discussion: """
            Below the tier that is configured as tenants.required_tier its customers get 402. It counts at all gateways at \
            once.

            EXAMPLES:
              fanfare tenant set-tier shop enterprise
            """)

    @OptionGroup var tenant: TenantArgument

    @Argument(help: "The tier.")
    var tier: Tenant.Tier

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        let found = try await StoreAccess.changing(configuration, "tenant set-tier") { store, change in
            let found = try await tenant.find(in: store).tenant
            change = OperatorChange(tenantID: found.id, object: tier.rawValue)
            _ = try await store.tenants.setTenant(found.id, tier: tier)
            return found
        }
        print("tenant \(found.id) (\(found.name)) is \(tier.rawValue)")
        if let required = Tenant.Tier(rawValue: configuration.tenants.requiredTier.rawValue), tier < required {
            StandardError.print("note: live activities need \(required.rawValue) here; its customers get 402")
        }
    }
}

struct TenantDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switches live activities off for a tenant.",
        discussion: """
            Its customers get 403 at once. Its devices get 202 from then on, and what they say is dropped, unless they ask \
            to be forgotten; gateways need up to a second for that. `fanfare tenant erase-user` forgets users meanwhile. Broadcasts that have begun go on.

            EXAMPLES:
              fanfare tenant disable shop
            """)

    @OptionGroup var tenant: TenantArgument
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await tenant.set(enabled: false, options)
    }
}

struct TenantEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switches live activities on again for a tenant.",
        discussion: """
            EXAMPLES:
              fanfare tenant enable shop
            """)

    @OptionGroup var tenant: TenantArgument
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        try await tenant.set(enabled: true, options)
    }
}

extension TenantArgument {
    fileprivate func set(enabled: Bool, _ options: ConfigurationOptions) async throws {
        let action = enabled ? "tenant enable" : "tenant disable"
        let found = try await StoreAccess.changing(try options.load(), action) { store, change in
            let found = try await find(in: store).tenant
            change.tenantID = found.id
            _ = try await store.tenants.setTenant(found.id, enabled: enabled)
            return found
        }
        print("tenant \(found.id) (\(found.name)) is \(enabled ? "enabled" : "disabled")")
    }
}
