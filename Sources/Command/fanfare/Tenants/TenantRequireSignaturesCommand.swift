import ArgumentParser
import GatewayStore

struct TenantRequireSignaturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "require-signatures",
        abstract: "Demands signatures of what a tenant's apps report, or no longer.",
        discussion: """
            From then on reports without X-Identity-Signature get 401; gateways need up to a second for that. Version 1 \
            vouches for the insider_id; version 2 for the device and an expiry as well, so that one that was overheard is of \
            no use for another device, and soon of none at all. Both are taken unless --version 2 demands it. With --off \
            reports need no signature; one that is given is checked all the same.

            EXAMPLES:
              fanfare tenant require-signatures shop
              fanfare tenant require-signatures shop --version 2
              fanfare tenant require-signatures shop --off
            """)

    @OptionGroup var tenant: TenantArgument

    @Option(help: ArgumentHelp("The least version that is taken: 1 (the default) or 2.", valueName: "version"))
    var version: SignatureVersion?

    @Flag(help: "Demand none.")
    var off = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard !off || version == nil else { throw ValidationError("--off and --version cannot be given both") }
    }

    func run() async throws {
        let demand = off ? SignatureDemand.none : version?.demand ?? .any
        let found = try await StoreAccess.changing(try options.load(), "tenant require-signatures") { store, change in
            let (found, secrets) = try await tenant.find(in: store)
            change = OperatorChange(tenantID: found.id, object: demand.version.map { "version \($0)" } ?? "off")
            guard demand == .none || secrets.contains(where: { $0.kind == .identity }) else {
                throw CommandFailure(
                    """
                    \(found.name) has no identity secret yet, so nothing can be signed; make one first: \
                    fanfare tenant rotate-key \(tenant.text) --kind identity
                    """)
            }
            _ = try await store.tenants.setTenant(found.id, signatures: demand)
            return found
        }
        print("tenant \(found.id) (\(found.name)): signatures are \(demand.words)")
    }
}

/// A version of X-Identity-Signature.
enum SignatureVersion: Int, CaseIterable, ExpressibleByArgument {
    case one = 1
    case two = 2

    var demand: SignatureDemand {
        switch self {
        case .one: .any
        case .two: .version2
        }
    }
}

extension SignatureDemand {
    /// The least version that is taken; nil when none is demanded.
    var version: Int? {
        switch self {
        case .none: nil
        case .any: 1
        case .version2: 2
        }
    }

    /// As people are told.
    var words: String {
        switch self {
        case .none: "checked where given"
        case .any: "required"
        case .version2: "required, version 2"
        }
    }
}

extension CommandFailure {
    /// What there is to do where secrets cannot be sealed.
    static let noSealingKey = """
        secrets are sealed, and events.sealing_key_file (FANFARE_EVENTS_SEALING_KEY_FILE) names no key for it: give the one \
        that the gateways have, or make one with `head -c 32 /dev/urandom > sealing.key && chmod 600 sealing.key`, and give it \
        to all gateways and commands
        """
}
