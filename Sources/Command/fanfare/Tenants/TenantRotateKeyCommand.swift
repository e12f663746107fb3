import ArgumentParser
import GatewayConfiguration
import GatewayStore
import LiveActivity
import TimeCore

struct TenantRotateKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-key",
        abstract: "Gives a tenant a fresh key; the present one goes on working for the overlap.",
        discussion: """
            The fresh key is printed on standard output, this once only. Both work until the overlap is over, then the \
            old one gets 401. --overlap 0 revokes it at once (for the reports of devices within a second), and with it all \
            that still were in an overlap: that is what a key that leaked needs. Of two rotations at the same moment one \
            succeeds, and the other is told so and changes nothing.

            EXAMPLES:
              fanfare tenant rotate-key shop
              fanfare tenant rotate-key shop --kind sdk --overlap 720h
              fanfare tenant rotate-key shop --overlap 0
            """)

    @OptionGroup var tenant: TenantArgument

    @Option(
        help: ArgumentHelp(
            "Which one: the customers' key, the apps' key, or what signs insider_ids.", valueName: "kind"))
    var kind = TenantSecretKind.api

    @Option(
        help: ArgumentHelp(
            "How long the old one goes on working: 0, 30m, 24h (the default), at most 8760h.", valueName: "duration"),
        completion: .list(["0", "1h", "24h", "168h", "720h"]),
        transform: TenantRotateKeyCommand.overlap)
    var overlap = Duration.seconds(86_400)

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    private static let longest = Duration.seconds(8760 * 3600)

    @Sendable private static func overlap(_ text: String) throws -> Duration {
        // Whoever writes 24 may mean hours, and a key that ends too soon takes every copy of an app with it.
        let hasUnit = text.last.map { !$0.isNumber } ?? false
        guard let overlap = DurationText.parse(text), overlap <= longest, hasUnit || overlap == .zero else {
            throw ValidationError("\"\(text)\" is no overlap: write 0, 30m or 24h, with the unit, at most 8760h")
        }
        return overlap
    }

    func run() async throws {
        let (found, isFirst, secret, until) = try await StoreAccess.changing(
            try options.load(), "tenant rotate-key", for: kind == .identity ? .sealing : .writing
        ) { store, change in
            let (found, secrets) = try await tenant.find(in: store)
            change = OperatorChange(tenantID: found.id, object: kind.field)
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
            CommandFailure("there is no tenant \(tenant.text); `fanfare tenant list` lists them")
        case .rotatedMeanwhile:
            CommandFailure(
                """
                somebody else rotated this \(kind.words) at the same moment and was shown the fresh one; nothing has \
                changed here. Run it again if you need another one.
                """)
        case .noSealingKey: CommandFailure(CommandFailure.noSealingKey)
        case .unreadable:
            CommandFailure(
                """
                the present identity secret does not open with events.sealing_key_file, nor with any of \
                events.former_sealing_key_files, so it could not go on working: give the key that the gateways have. If that \
                is lost, --overlap 0 makes a fresh one
                """)
        case .tooManyReplaced:
            CommandFailure(
                """
                \(StoredTenants.mostReplacedSecrets) replaced ones still work, and that is the most; `fanfare tenant show \
                \(tenant.text)` says until when. Wait for one to end, or give --overlap 0: it revokes them all.
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
        let old = until.map { "The old one works until \($0.rfc3339)." } ?? "The old one is revoked."
        StandardError.print(
            """
            This is the \(kind.words) of \(found.name) from now on. Keep it now: it cannot be shown again.
            \(isFirst ? "There was none before." : old)
            """)
    }
}
