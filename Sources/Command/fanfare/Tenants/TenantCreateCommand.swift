import ArgumentParser
import GatewayStore
import LiveActivity

struct TenantCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a tenant and shows its keys, this once only: the store keeps hashes of them.",
        discussion: """
            Customers send the API key (X-Api-Key), apps the SDK key (X-Sdk-Key). The SDK key is in every copy of the app, so \
            reports of devices are taken only with a signature (X-Identity-Signature), which a server of the tenant makes \
            with the identity secret; --no-signatures lets anybody with the SDK key report for any user. \
            `fanfare tenant require-signatures` changes it later. Which tiers live activities are part of is configured \
            (tenants.required_tier).

            The identity secret is sealed with the gateways' key: events.sealing_key_file, or one that is made in \
            redis.data_dir, which gateways elsewhere need as events.sealing_key_file.

            EXAMPLES:
              fanfare tenant create shop
              fanfare tenant create bank --tier enterprise --signature-version 2 --json
              fanfare tenant create trial --no-signatures
            """)

    @Argument(help: "The tenant's name, for people.")
    var name: String

    @Option(help: ArgumentHelp("What the tenant pays for.", valueName: "tier"))
    var tier = Tenant.Tier.growth

    @Flag(help: "Take reports of devices without a signature as well.")
    var noSignatures = false

    @Flag(help: "Take reports of devices only with a signature, which is so anyway.")
    var requireIdentitySignature = false

    @Option(help: ArgumentHelp("The least version of signatures that is taken: 1 or 2.", valueName: "version"))
    var signatureVersion: SignatureVersion?

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard Tenant.isName(name) else {
            throw ValidationError("a tenant's name has 1 to 200 bytes, not only white space, and is one line")
        }
        guard !noSignatures || (!requireIdentitySignature && signatureVersion == nil) else {
            throw ValidationError("--no-signatures contradicts the option that demands them")
        }
    }

    func run() async throws {
        let signatures = noSignatures ? SignatureDemand.none : signatureVersion?.demand ?? .any
        let configuration = try options.load()
        let secrets = try await StoreAccess.changing(configuration, "tenant create", for: .sealing) { store, change in
            change.object = name
            guard signatures == .none || store.tenants.canSeal else {
                throw CommandFailure(
                    """
                    \(CommandFailure.noSealingKey). Without one there are tenants with --no-signatures only, which have no \
                    identity secret yet
                    """)
            }
            let sealing = try await store.tenants.identitySealing()
            guard !sealing.isForeign || !store.tenants.canSeal else {
                throw CommandFailure(
                    """
                    events.sealing_key_file is not the key that the gateways have: no identity secret in the store opens with \
                    it. If that key is lost, `fanfare tenant rotate-key TENANT --kind identity --overlap 0` makes a first one \
                    with this key
                    """)
            }
            guard
                let secrets = try await store.tenants.createTenant(
                    ofNewName: name, tier: tier, signatures: signatures)
            else {
                throw CommandFailure("a tenant has the name \(name) already; `fanfare tenant list` lists all tenants")
            }
            change.tenantID = secrets.tenantID
            return secrets
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
                  identity secret  \(secrets.identitySecret ?? "none, for want of events.sealing_key_file")
                Keep them now: they cannot be shown again.
                """)
        }
    }
}
