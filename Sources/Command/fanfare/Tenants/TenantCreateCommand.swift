import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a tenant and prints its keys, only this once.",
        discussion: """
            The store keeps only hashes of the keys. Customers send the API key (X-Api-Key), apps the SDK key \
            (X-Sdk-Key). Because every copy of the app contains the SDK key, device reports need a signature \
            (X-Identity-Signature). A server of the tenant makes it with the identity secret. With --no-signatures \
            anyone with the SDK key can report for any user; `fanfare tenant require-signatures` changes that later. \
            tenants.required_tier sets the tiers with Live Activities.

            The gateways' key encrypts the identity secret: events.sealing_key_file, or a key created in \
            redis.data_dir. Gateways on other machines need a copy of that key as events.sealing_key_file.

            EXAMPLES:
              fanfare tenant create shop
              fanfare tenant create bank --tier enterprise --signature-version 2 --json
              fanfare tenant create trial --no-signatures
            """)

    @Argument(help: "The tenant's display name.")
    var name: String

    @Option(help: ArgumentHelp("The tenant's tier.", valueName: "tier"))
    var tier = Tenant.Tier.growth

    @Flag(help: "Accept device reports without a signature.")
    var noSignatures = false

    @Flag(help: "Require a signature for device reports. This is the default.")
    var requireIdentitySignature = false

    @Option(help: ArgumentHelp("The minimum version of signatures, 1 or 2.", valueName: "version"))
    var signatureVersion: SignatureVersion?

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard Tenant.isName(name) else {
            throw ValidationError("the tenant's name must be one line of 1 to 200 bytes and not only white space")
        }
        guard !noSignatures || (!requireIdentitySignature && signatureVersion == nil) else {
            throw ValidationError("--no-signatures excludes --require-identity-signature and --signature-version")
        }
    }

    func run() async throws {
        let signatures = noSignatures ? SignatureDemand.none : signatureVersion?.demand ?? .any
        let configuration = try options.load()
        let secrets = try await StoreAccess.changing(configuration, "tenant create", for: .sealing) { store, change in
            change.object = name
            try await requireKey(store.tenants, for: signatures)
            guard
                let secrets = try await store.tenants.createTenant(
                    ofNewName: name, tier: tier, signatures: signatures)
            else {
                throw CommandFailure("the tenant name \(name) is taken; `fanfare tenant list` lists all tenants")
            }
            change.tenantID = secrets.tenantID
            return secrets
        }
        print(secrets)
    }

    /// Throws if the sealing key is missing or not the gateways'.
    private func requireKey(_ tenants: StoredTenants, for signatures: SignatureDemand) async throws {
        guard signatures == .none || tenants.canSeal else {
            throw CommandFailure(
                """
                \(CommandFailure.noSealingKey). Without a key you can only create tenants with --no-signatures, which \
                have no identity secret yet
                """)
        }
        guard try await !tenants.identitySealing().isForeign || !tenants.canSeal else {
            throw CommandFailure(
                """
                events.sealing_key_file is not the gateways' key: it decrypts no identity secret in the store. Use the \
                gateways' key. If it is lost, `fanfare tenant rotate-key TENANT --kind identity --overlap 0` creates a \
                secret with this key
                """)
        }
    }

    private func print(_ secrets: TenantSecrets) {
        if json {
            let text = JSONWriter.object {
                $0.field("tenant_id", secrets.tenantID)
                $0.field("api_key", secrets.apiKey)
                $0.field("sdk_key", secrets.sdkKey)
                $0.field("identity_secret", secrets.identitySecret)
            }
            Swift.print(String(decoding: text, as: UTF8.self))
        } else {
            Swift.print(
                """
                tenant \(secrets.tenantID) (\(name), \(tier.rawValue))
                  api key          \(secrets.apiKey)
                  sdk key          \(secrets.sdkKey)
                  identity secret  \(secrets.identitySecret ?? "none, because events.sealing_key_file is missing")
                Save them now: they are not shown again.
                """)
        }
    }
}
