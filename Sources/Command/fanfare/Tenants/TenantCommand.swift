import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant",
        abstract: "Makes and changes tenants and their keys.",
        discussion: """
            Works on the configured Redis, or on the private one that a gateway on this machine may be running. What \
            changes counts for customers at all gateways at once; of what concerns the reports of devices (SDK keys, identity \
            secrets, signatures, limits) a gateway hears within a second.

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
    /// What it is called in JSON.
    var field: String {
        switch self {
        case .api: "api_key"
        case .sdk: "sdk_key"
        case .identity: "identity_secret"
        }
    }

    /// What people call it.
    var words: String {
        switch self {
        case .api: "API key"
        case .sdk: "SDK key"
        case .identity: "identity secret"
        }
    }
}

/// Names a tenant on the command line.
struct TenantArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The tenant's id, or its name when no other has it.", valueName: "tenant"))
    var text: String

    func find(in store: GatewayStore) async throws -> (tenant: Tenant, secrets: [TenantSecretState]) {
        try await store.tenants.tenant(calledOn: text)
    }
}

extension StoredTenants {
    /// The tenant of this id, or the only one of this name; a failure that says what to do otherwise.
    func tenant(calledOn text: String) async throws -> (tenant: Tenant, secrets: [TenantSecretState]) {
        if let found = try await tenant(text) { return found }
        let namesakes = try await tenants().filter { $0.name == text }
        if namesakes.count > 1 {
            let ids = namesakes.map(\.id).joined(separator: ", ")
            throw CommandFailure("\(namesakes.count) tenants are called \(text); give the id of one of them: \(ids)")
        }
        guard let id = namesakes.first?.id, let found = try await tenant(id) else {
            throw CommandFailure("there is no tenant \(text); `fanfare tenant list` lists them")
        }
        return found
    }
}
