import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant",
        abstract: "Manages tenants and their keys.",
        discussion: """
            Uses the configured Redis, or the private one of a gateway on this machine. Customers see a change at once \
            at all gateways. Device reports may use earlier keys, secrets, signature rules and limits for another \
            second.

            EXAMPLES:
              fanfare tenant create shop --json > shop.json
              fanfare tenant rotate-key shop --overlap 24h
              fanfare tenant disable shop
            """,
        subcommands: [
            TenantCreateCommand.self, TenantListCommand.self, TenantShowCommand.self, TenantRotateKeyCommand.self,
            TenantSetTierCommand.self, TenantSetLimitsCommand.self, TenantRecountCommand.self,
            TenantRequireSignaturesCommand.self,
            TenantSealSecretsCommand.self, TenantDisableCommand.self, TenantEnableCommand.self,
            TenantEraseUserCommand.self,
        ])
}

extension Tenant.Tier: ExpressibleByArgument {}
extension TenantSecretKind: ExpressibleByArgument {}

extension TenantSecretKind {
    /// The name in JSON.
    var field: String {
        switch self {
        case .api: "api_key"
        case .sdk: "sdk_key"
        case .identity: "identity_secret"
        }
    }

    /// The name in messages.
    var words: String {
        switch self {
        case .api: "API key"
        case .sdk: "SDK key"
        case .identity: "identity secret"
        }
    }
}

/// The tenant argument of commands.
struct TenantArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The tenant's id, or its name if unique.", valueName: "tenant"))
    var text: String

    func find(in store: GatewayStore) async throws -> (tenant: Tenant, secrets: [TenantSecretState]) {
        try await store.tenants.tenant(calledOn: text)
    }

    /// Finds the tenant that a command changes. The audit log names an unknown one as given.
    func find(
        in store: GatewayStore, noting change: inout OperatorChange
    ) async throws -> (tenant: Tenant, secrets: [TenantSecretState]) {
        change.object = text
        let found = try await find(in: store)
        change = OperatorChange(tenantID: found.tenant.id)
        return found
    }
}

extension StoredTenants {
    /// Returns the tenant with this id, or the only one with this name. Throws a message with the remedy.
    func tenant(calledOn text: String) async throws -> (tenant: Tenant, secrets: [TenantSecretState]) {
        if let found = try await tenant(text) { return found }
        let namesakes = try await tenants().filter { $0.name == text }
        if namesakes.count > 1 {
            let ids = namesakes.map(\.id).joined(separator: ", ")
            throw CommandFailure("\(namesakes.count) tenants have the name \(text); give an id: \(ids)")
        }
        guard let id = namesakes.first?.id, let found = try await tenant(id) else {
            throw CommandFailure("the tenant \(text) does not exist; `fanfare tenant list` lists all tenants")
        }
        return found
    }
}
