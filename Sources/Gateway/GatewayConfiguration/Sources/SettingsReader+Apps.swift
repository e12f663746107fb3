extension SettingsReader {
    private static let appFields = ["tenants", "key_file", "key_id", "team_id", "bundle_id"]
    private static let formerKeyFiles = "former_key_files"
    private static let fcmFields = ["service_account_file", "url", "token_url", "ca_file", "messages_per_minute"]

    /// Reads `apps.<name>.…`. The names come from the file and from the environment. An incomplete app is a problem and
    /// is left out.
    /// - Parameters:
    ///   - fcm: The default app's FCM options.
    ///   - channels: The default app's channels.
    mutating func readApps(
        like fcm: GatewayConfiguration.FCM, _ channels: GatewayConfiguration.BroadcastChannels
    ) -> [GatewayConfiguration.App] {
        appNames().sorted().compactMap { name in readApp(name, like: fcm, channels.ofAnotherApp) }
    }

    private mutating func readApp(
        _ name: String, like fcm: GatewayConfiguration.FCM, _ channels: GatewayConfiguration.BroadcastChannels
    ) -> GatewayConfiguration.App? {
        let key = "apps.\(name)"
        let tenants = readList("\(key).tenants")
        var texts: [String: String] = [:]
        for field in Self.appFields.dropFirst() {
            var text: String?
            read("\(key).\(field)", field == "key_file" ? .path : .word, into: &text)
            texts[field] = text
        }
        let formerKeyFiles = readPaths("\(key).\(Self.formerKeyFiles)")
        var fcm = fcm
        fcm.serviceAccountFile = nil
        fcm.read(&self, under: "\(key).fcm")
        var channels = channels
        channels.read(&self, under: key)
        guard !tenants.isEmpty, let keyFile = texts["key_file"], let keyID = texts["key_id"],
            let teamID = texts["team_id"], let bundleID = texts["bundle_id"]
        else {
            reportMissing(key)
            return nil
        }
        return GatewayConfiguration.App(
            name: name, tenants: tenants,
            credentials: .init(
                keyFile: keyFile, formerKeyFiles: formerKeyFiles, keyID: keyID, teamID: teamID, bundleID: bundleID),
            fcm: fcm, channels: channels)
    }

    /// Reports missing fields. Refused values already have a problem of their own.
    private mutating func reportMissing(_ key: String) {
        let missing = Self.appFields.filter { source(of: "\(key).\($0)") == .defaultValue }
        guard !missing.isEmpty else { return }
        refuse(
            key, "The app lacks \(missing.joined(separator: ", ")).",
            "Set tenants, key_file, key_id, team_id and bundle_id, or remove the app.")
    }

    private func appNames() -> Set<String> {
        var names: Set<String> = []
        for leaf in file?.leaves ?? [] {
            let components = leaf.path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let isField = components.count == 3 || components.count == 4 && components[2] == "fcm"
            if isField, components[0] == "apps", Self.isAppName(components[1]) {
                names.insert(components[1])
            }
        }
        for variable in environment.keys where variable.hasPrefix("FANFARE_APPS_") {
            let rest = variable.dropFirst("FANFARE_APPS_".count).lowercased()
            let fields =
                Self.appFields + [Self.formerKeyFiles] + Self.fcmFields.map { "fcm_\($0)" }
                + GatewayConfiguration.BroadcastChannels.fields
            // The longest field first, because some fields end with another one.
            for field in fields.sorted(by: { $0.utf8.count > $1.utf8.count })
            where rest.hasSuffix("_\(field)") {
                let name = String(rest.dropLast(field.count + 1))
                if Self.isAppName(name) { names.insert(name) }
                break
            }
        }
        return names
    }

    /// True for lower-case names, which can be recovered from the names of environment variables.
    static func isAppName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
            }
    }
}
