import APNs
import GatewayStore

extension Gateway {
    /// Signs pushes with the credentials in the options, and ignores all other options. Replaced credentials are tried
    /// at the provider, and the log names the results. If all APNs credentials are in force, new content in Redis is
    /// sealed with their keys. Keys of the running gateway still open older content. From any thread; calls must not
    /// overlap.
    public func replaceCredentials(_ options: GatewayOptions) -> CredentialReload {
        let reload = providers.credentials.replace(options)
        let isUsable = reload.apns.values.allSatisfy { $0 == .inForce }
        if isUsable, let sealer = try? Gateway.sealer(options) { store.seal(with: sealer) }
        if options.triesCredentials {
            CredentialTrial.begin(
                providers.probes.filter { probe in reload.replaced.contains { $0 === probe.client } }, logger)
        }
        return reload
    }

    /// Returns the sealer for content that waits in Redis. It uses the key of the tenant's app.
    static func sealer(_ options: GatewayOptions) throws -> ContentSealer? {
        guard let standard = try options.credential.sealingKey(label: ContentSealer.label) else { return nil }
        let former = { (files: [String]) throws in
            try files.compactMap { try ProviderCredential.sealingKey(ofFile: $0, label: ContentSealer.label) }
        }
        var sealer = ContentSealer(standard: standard, former: try former(options.formerKeyFiles))
        for app in options.furtherApps {
            guard let key = try app.credential.sealingKey(label: ContentSealer.label) else { continue }
            sealer.use(key, former: try former(app.formerKeyFiles), for: app.tenantIDs)
        }
        return sealer
    }
}
