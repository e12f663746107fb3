import ArgumentParser
import GatewayStore

struct TenantRequireSignaturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "require-signatures",
        abstract: "Requires signatures for a tenant's device reports, or turns them off.",
        discussion: """
            Within a second reports without X-Identity-Signature get 401. A version 1 signature proves the insider_id. \
            Version 2 also covers the device and an expiry, so a stolen signature works only for that device and time. \
            Both are accepted unless you set --version 2. With --off reports need no signature; a signature that is \
            sent is still verified.

            EXAMPLES:
              fanfare tenant require-signatures shop
              fanfare tenant require-signatures shop --version 2
              fanfare tenant require-signatures shop --off
            """)

    @OptionGroup var tenant: TenantArgument

    @Option(help: ArgumentHelp("The minimum version, 1 (default) or 2.", valueName: "version"))
    var version: SignatureVersion?

    @Flag(help: "Require no signature.")
    var off = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard !off || version == nil else { throw ValidationError("--off and --version exclude each other") }
    }

    func run() async throws {
        let demand = off ? SignatureDemand.none : version?.demand ?? .any
        let found = try await StoreAccess.changing(try options.load(), "tenant require-signatures") { store, change in
            let (found, secrets) = try await tenant.find(in: store, noting: &change)
            change.object = demand.version.map { "version \($0)" } ?? "off"
            guard demand == .none || secrets.contains(where: { $0.kind == .identity }) else {
                throw CommandFailure(
                    """
                    \(found.name) has no identity secret for signatures; create one first: fanfare tenant rotate-key \
                    \(tenant.text) --kind identity
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
    /// The minimum accepted version; nil if signatures are optional.
    var version: Int? {
        switch self {
        case .none: nil
        case .any: 1
        case .version2: 2
        }
    }

    /// The name in messages.
    var words: String {
        switch self {
        case .none: "optional, verified if sent"
        case .any: "required"
        case .version2: "required, version 2"
        }
    }
}

extension CommandFailure {
    /// The failure of a command that has no key to seal secrets with.
    static let noSealingKey = """
        the sealing key is missing: set events.sealing_key_file (FANFARE_EVENTS_SEALING_KEY_FILE) to the gateways' \
        key. To create a key for all gateways and commands, run `head -c 32 /dev/urandom > sealing.key && chmod 600 \
        sealing.key`
        """

    /// The failure of a command that needs the key of all gateways, where only this machine's own is there.
    static func localSealingKey(_ path: String) -> String {
        """
        events.sealing_key_file (FANFARE_EVENTS_SEALING_KEY_FILE) is not set, and secrets are sealed with \(path). Copy \
        that file to all gateways, and set events.sealing_key_file to it
        """
    }
}
