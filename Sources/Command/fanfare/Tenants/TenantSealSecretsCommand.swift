import ArgumentParser
import GatewayStore

struct TenantSealSecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal-secrets",
        abstract: "Seals all secrets in the store with the present key: after an update, or when the key is replaced.",
        discussion: """
            Identity secrets that an earlier version kept in clear, and those and the secrets of webhooks that are sealed with \
            a former key (events.former_sealing_key_files), are sealed with events.sealing_key_file. Apps and receivers notice \
            nothing. All gateways must be of this version and have the present key before. When it has been run, former keys \
            are needed no more.

            EXAMPLES:
              fanfare tenant seal-secrets
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        try await StoreAccess.changing(configuration, "tenant seal-secrets") { store, _ in
            // What other gateways cannot open is not sealed.
            guard let webhooks = try SealingKeyFile.read(configuration, making: false)?.webhooks else {
                throw CommandFailure(CommandFailure.noSealingKey)
            }
            let tenants = try await store.tenants.sealIdentitySecrets()
            let sealing = try await store.tenants.identitySealing()
            try show(tenants, sealing, try await store.webhooks.sealSecrets(with: webhooks))
        }
    }

    /// Throws when some are left that do not open.
    private func show(
        _ tenants: Int, _ sealing: IdentitySealing, _ webhooks: (sealed: Int, unreadable: Int)
    ) throws {
        print("sealed anew: the identity secrets of \(tenants) tenants, the secrets of \(webhooks.sealed) webhooks")
        guard !sealing.unreadable.isEmpty || webhooks.unreadable > 0 else { return }
        let ids = sealing.unreadable.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        throw CommandFailure(
            """
            the secrets of \(webhooks.unreadable) webhooks and the identity secrets of \(sealing.unreadable.count) \
            tenants do not open with events.sealing_key_file, nor with any of \
            events.former_sealing_key_files\(ids.isEmpty ? "" : ": \(ids)")
            """)
    }
}
