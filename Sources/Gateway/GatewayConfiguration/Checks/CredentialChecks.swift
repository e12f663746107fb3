import APNsCore

/// Credentials are there whole or not at all, and a tenant has one app.
enum CredentialChecks {
    static func problems(
        of configuration: GatewayConfiguration, _ settings: SettingsReader, for purpose: GatewayConfiguration.Purpose
    ) -> [ConfigurationProblem] {
        defaultApp(configuration, settings, purpose) + sharedTenants(configuration, settings)
            + identifiers(configuration, settings) + bundleIdentifiers(configuration, settings)
    }

    /// With a bundle identifier that no app can have, Apple refuses each push.
    private static func bundleIdentifiers(
        _ configuration: GatewayConfiguration, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        var named = [("apns.bundle_id", configuration.apns.bundleID)]
        for app in configuration.apps { named.append(("apps.\(app.name).bundle_id", app.credentials.bundleID)) }
        return named.compactMap { key, text in
            guard let text, let fault = BundleIdentifier.fault(text) else { return nil }
            return ConfigurationProblem(
                key: key, source: settings.source(of: key), "\"\(text)\" is not a bundle identifier: \(fault).",
                advice: "Use the app's bundle identifier as Xcode shows it, like com.example.app.")
        }
    }

    /// Apple's identifiers of keys and teams have ten characters. Another one may be right one day, so it is a warning,
    /// unless it cannot stand in a provider token.
    private static func identifiers(
        _ configuration: GatewayConfiguration, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        var named = [("apns.key_id", configuration.apns.keyID), ("apns.team_id", configuration.apns.teamID)]
        for app in configuration.apps {
            named.append(("apps.\(app.name).key_id", app.credentials.keyID))
            named.append(("apps.\(app.name).team_id", app.credentials.teamID))
        }
        return named.compactMap { key, name in
            guard let name, name.utf8.count != 10 || !name.utf8.allSatisfy(isOfIdentifier) else { return nil }
            return ConfigurationProblem(
                severity: ProviderTokenClaims.isIdentifier(name) ? .warning : .error, key: key,
                source: settings.source(of: key),
                "\"\(name)\" is not an Apple identifier: ten capital letters and digits.",
                advice: "Find it on Apple's developer site: the key id under Keys, the team id under Membership.")
        }
    }

    private static func isOfIdentifier(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func defaultApp(
        _ configuration: GatewayConfiguration, _ settings: SettingsReader, _ purpose: GatewayConfiguration.Purpose
    ) -> [ConfigurationProblem] {
        let severity: ConfigurationProblem.Severity = purpose == .gateway ? .error : .warning
        let keys = ["apns.key_file", "apns.key_id", "apns.team_id", "apns.bundle_id"]
        let given = keys.filter { settings.source(of: $0) != .defaultValue }
        if given.isEmpty {
            guard configuration.apps.isEmpty else {
                return [
                    ConfigurationProblem(
                        severity: severity, key: "apns.key_file",
                        "The default app is missing; the apps under apps serve only the tenants that they list.",
                        advice: "Set \(keys.joined(separator: ", ")) for all other tenants.")
                ]
            }
            return [
                ConfigurationProblem(
                    severity: severity, key: "apns.key_file",
                    "The credentials for APNs are missing.",
                    advice: """
                        Set \(keys.joined(separator: ", ")). Without an Apple account, try `fanfare demo`, or `fanfare \
                        mock-apns --out-dir DIR` with its apns.env.
                        """)
            ]
        }
        return keys.filter { !given.contains($0) }.map { key in
            ConfigurationProblem(
                key: key,
                "The key is missing, but \(given.joined(separator: ", ")) \(given.count == 1 ? "is" : "are") set.",
                advice: "Set it here or with \(SettingsReader.variable(of: key)); APNs needs all four.")
        }
    }

    private static func sharedTenants(
        _ configuration: GatewayConfiguration, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        var owners: [String: String] = [:]
        var problems: [ConfigurationProblem] = []
        for app in configuration.apps {
            for tenant in Set(app.tenants).sorted() {
                guard let owner = owners.updateValue(app.name, forKey: tenant) else { continue }
                let key = "apps.\(app.name).tenants"
                problems.append(
                    ConfigurationProblem(
                        key: key, source: settings.source(of: key),
                        "The tenant \"\(tenant)\" already belongs to the app \(owner).",
                        advice: "A tenant can have only one app: remove it from the other."))
            }
        }
        return problems
    }
}
