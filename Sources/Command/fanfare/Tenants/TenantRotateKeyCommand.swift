import ArgumentParser
import GatewayConfiguration
import GatewayStore
import LiveActivity
import TimeCore

struct TenantRotateKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-key",
        abstract: "Creates a new key for a tenant; the old key works for the overlap.",
        discussion: """
            The new key is printed on standard output, only this once. Both keys work during the overlap; afterwards \
            the old key gets 401. For a leaked key use --overlap 0: it revokes all old keys at once, for device \
            reports within a second. Of two concurrent rotations one succeeds; the other fails and changes nothing.

            EXAMPLES:
              fanfare tenant rotate-key shop
              fanfare tenant rotate-key shop --kind sdk --overlap 720h
              fanfare tenant rotate-key shop --overlap 0
            """)

    @OptionGroup var tenant: TenantArgument

    @Option(
        help: ArgumentHelp(
            "The kind of key: api for customers, sdk for apps, identity for signatures.", valueName: "kind"))
    var kind = TenantSecretKind.api

    @Option(
        help: ArgumentHelp(
            "Time that the old key still works: 0, 30m, 24h (default), at most 8760h.", valueName: "duration"),
        completion: .list(["0", "1h", "24h", "168h", "720h"]),
        transform: TenantRotateKeyCommand.overlap)
    var overlap = Duration.seconds(86_400)

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    private static let longest = Duration.seconds(8760 * 3600)

    @Sendable private static func overlap(_ text: String) throws -> Duration {
        // A number without a unit may mean hours, and a key that ends too soon stops every copy of an app.
        let hasUnit = text.last.map { !$0.isNumber } ?? false
        guard let overlap = DurationText.parse(text), overlap <= longest, hasUnit || overlap == .zero else {
            throw ValidationError("\"\(text)\" is not an overlap; write 0, 30m or 24h, with the unit, at most 8760h")
        }
        return overlap
    }

    func run() async throws {
        let (found, isFirst, secret, until) = try await StoreAccess.changing(
            try options.load(), "tenant rotate-key", for: kind == .identity ? .sealing : .writing
        ) { store, change in
            let (found, secrets) = try await tenant.find(in: store, noting: &change)
            change.object = kind.field
            let isFirst = !secrets.contains { $0.kind == kind }
            switch try await store.tenants.rotate(kind, of: found.id, overlap: overlap.interval) {
            case .rotated(let secret, let until): return (found, isFirst, secret, until)
            case let refusal: throw failure(refusal)
            }
        }
        show(secret, until, found, isFirst: isFirst)
    }

    private func failure(_ rotation: KeyRotation) -> CommandFailure {
        switch rotation {
        case .rotated, .noSuchTenant:
            CommandFailure("the tenant \(tenant.text) does not exist; `fanfare tenant list` lists all tenants")
        case .rotatedMeanwhile:
            CommandFailure(
                """
                another rotation of this \(kind.words) ran at the same time and received the new key; this command \
                changed nothing. Run it again if you need another key.
                """)
        case .noSealingKey: CommandFailure(CommandFailure.noSealingKey)
        case .unreadable:
            CommandFailure(
                """
                neither events.sealing_key_file nor events.former_sealing_key_files decrypts the current identity \
                secret, so it cannot keep working: use the gateways' key. If it is lost, --overlap 0 creates a new \
                secret
                """)
        case .tooManyReplaced:
            CommandFailure(
                """
                \(StoredTenants.mostReplacedSecrets) old keys still work, which is the maximum; `fanfare tenant show \
                \(tenant.text)` shows until when. Wait until one expires, or revoke all with --overlap 0.
                """)
        }
    }

    private func show(_ secret: String, _ until: WallTime?, _ found: Tenant, isFirst: Bool) {
        if json {
            let text = JSONWriter.object {
                $0.field("tenant_id", found.id)
                $0.field(kind.field, secret)
                $0.field("old_valid_until", until?.rfc3339)
            }
            return print(String(decoding: text, as: UTF8.self))
        }
        print(secret)
        let old = until.map { "The old key works until \($0.rfc3339)." } ?? "All old keys are revoked."
        StandardError.print(
            """
            This is the new \(kind.words) of \(found.name). Save it now: it is not shown again.
            \(isFirst ? "There was none before." : old)
            """)
    }
}
