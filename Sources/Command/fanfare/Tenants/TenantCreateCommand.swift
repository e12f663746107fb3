import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a tenant and shows its keys, this once only: the store keeps their hashes.",
        discussion: """
            Customers send the API key (X-Api-Key), apps the SDK key (X-Sdk-Key); a server of the tenant signs insider_ids \
            with the identity secret. Which tiers live activities are part of is configured (tenants.required_tier).

            EXAMPLES:
              fanfare tenant create shop
              fanfare tenant create bank --tier enterprise --require-identity-signature --json
            """)

    @Argument(help: "The tenant's name, for people.")
    var name: String

    @Option(help: ArgumentHelp("What the tenant pays for.", valueName: "tier"))
    var tier = Tenant.Tier.growth

    @Flag(help: "Take reports of devices only with an identity signature.")
    var requireIdentitySignature = false

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard name.contains(where: { !$0.isWhitespace }), name.utf8.count <= 200,
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw ValidationError("a tenant's name has 1 to 200 bytes, not only white space, and is one line") }
    }

    func run() async throws {
        let secrets = try await StoreAccess.with(try options.load()) { store in
            if try await store.tenants.tenants().contains(where: { $0.name == name }) {
                StandardError.print("note: there is a tenant called \(name) already; this one is told apart by its id")
            }
            return try await store.tenants.createTenant(
                name: name, tier: tier, requiresIdentitySignature: requireIdentitySignature)
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
