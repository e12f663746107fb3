import ArgumentParser
import GatewayStore

struct TenantSealSecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal-secrets",
        abstract: "Encrypts all secrets in the store with the current sealing key.",
        discussion: """
            Run it after you have replaced the sealing key. It encrypts identity and webhook secrets with \
            events.sealing_key_file if they are sealed with one of events.former_sealing_key_files. All gateways must \
            run with the current key first. Afterwards remove the former keys from that setting, restart the gateways, \
            and delete the files. Apps and receivers are not affected.

            EXAMPLES:
              fanfare tenant seal-secrets
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        try await StoreAccess.changing(configuration, "tenant seal-secrets") { store, _ in
            // Other gateways could not open secrets that a local key seals.
            let key = try SealingKeyFile.read(configuration, making: false)
            guard let webhooks = key?.webhooks else {
                throw CommandFailure(key?.localPath.map(CommandFailure.localSealingKey) ?? CommandFailure.noSealingKey)
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
        print("resealed: the identity secrets of \(tenants) tenants, the secrets of \(webhooks.sealed) webhooks")
        guard !sealing.unreadable.isEmpty || webhooks.unreadable > 0 else { return }
        let ids = sealing.unreadable.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        throw CommandFailure(
            """
            neither events.sealing_key_file nor events.former_sealing_key_files decrypts the secrets of \
            \(webhooks.unreadable) webhooks and the identity secrets of \(sealing.unreadable.count) \
            tenants\(ids.isEmpty ? "" : ": \(ids)"). Add the missing key to events.former_sealing_key_files
            """)
    }
}
