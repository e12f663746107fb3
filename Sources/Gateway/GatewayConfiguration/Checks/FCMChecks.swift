/// Checks that all apps of one service account have the same quota, because the quota belongs to its project.
enum FCMChecks {
    static func problems(of configuration: GatewayConfiguration, _ settings: SettingsReader) -> [ConfigurationProblem] {
        var first: [String: (section: String, rate: Int)] = [:]
        if let file = configuration.fcm.serviceAccountFile {
            first[file] = ("fcm", configuration.fcm.messagesPerMinute)
        }
        return configuration.apps.compactMap { app in
            let section = "apps.\(app.name).fcm"
            guard let file = app.fcm.serviceAccountFile else { return nil }
            guard let other = first[file] else {
                first[file] = (section, app.fcm.messagesPerMinute)
                return nil
            }
            guard other.rate != app.fcm.messagesPerMinute else { return nil }
            let key = "\(section).messages_per_minute"
            return ConfigurationProblem(
                key: key, source: settings.source(of: key),
                "\(other.section) has the same service account, but \(other.rate) messages a minute.",
                advice: "The quota belongs to the project: use the same value in both.")
        }
    }
}
