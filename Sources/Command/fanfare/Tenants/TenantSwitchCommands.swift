import ArgumentParser
import GatewayConfiguration
import GatewayStore

struct TenantSetTierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-tier",
        abstract: "Sets the tier of a tenant.",
        discussion: """
            Below tenants.required_tier the tenant's customers get 402. The change applies at once at all gateways.

            EXAMPLES:
              fanfare tenant set-tier shop enterprise
            """)

    @OptionGroup var tenant: TenantArgument

    @Argument(help: "The new tier.")
    var tier: Tenant.Tier

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        let found = try await StoreAccess.changing(configuration, "tenant set-tier") { store, change in
            let found = try await tenant.find(in: store, noting: &change).tenant
            change.object = tier.rawValue
            _ = try await store.tenants.setTenant(found.id, tier: tier)
            return found
        }
        print("tenant \(found.id) (\(found.name)) has the tier \(tier.rawValue)")
        if let required = Tenant.Tier(rawValue: configuration.tenants.requiredTier.rawValue), tier < required {
            StandardError.print(
                "note: Live Activities require the tier \(required.rawValue); the tenant's customers get 402")
        }
    }
}

struct TenantDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disables Live Activities for a tenant.",
        discussion: """
            The tenant's customers get 403 at once. Within a second device reports get 202 and are dropped, except \
            erasure requests. Running broadcasts continue. `fanfare tenant erase-user` still erases users.

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
        abstract: "Enables Live Activities for a tenant again.",
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
            let found = try await find(in: store, noting: &change).tenant
            _ = try await store.tenants.setTenant(found.id, enabled: enabled)
            return found
        }
        print("tenant \(found.id) (\(found.name)) is \(enabled ? "enabled" : "disabled")")
    }
}
