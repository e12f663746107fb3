import Foundation
import GatewayConfiguration
import TestCertificates
import Testing

@Suite("Further apps")
struct AppsTests {
    @Test("come from the file and the environment, in the order of their names")
    func apps() throws {
        let files = try TemporaryFiles()
        let key = try files.key()
        let report = try files.examine(
            """
            apps:
              travel_2: {tenants: [t-1, t-2], key_file: \(key), key_id: K, team_id: T, bundle_id: com.example.travel}
            """,
            [
                "FANFARE_APPS_SPORT_TENANTS": "t-3, t-4", "FANFARE_APPS_SPORT_KEY_FILE": key,
                "FANFARE_APPS_SPORT_KEY_ID": "L", "FANFARE_APPS_SPORT_TEAM_ID": "U",
                "FANFARE_APPS_SPORT_BUNDLE_ID": "com.example.sport", "FANFARE_APPS_TRAVEL_2_KEY_ID": "M",
            ].merging(Self.defaultApp(key)) { $1 })
        #expect(report.errors.isEmpty, "\(report.errors)")
        #expect(
            try report.checked().apps == [
                .init(
                    name: "sport", tenants: ["t-3", "t-4"],
                    credentials: .init(keyFile: key, keyID: "L", teamID: "U", bundleID: "com.example.sport")),
                .init(
                    name: "travel_2", tenants: ["t-1", "t-2"],
                    credentials: .init(keyFile: key, keyID: "M", teamID: "T", bundleID: "com.example.travel")),
            ])
        #expect(report["apps.sport.tenants"]?.value == "t-3,t-4")
    }

    @Test("name the keys that theirs have replaced, as the default app does; each file is checked")
    func formerKeys() throws {
        let files = try TemporaryFiles()
        let (key, old) = (try files.key(), try files.key())
        let credentials = "key_file: \(key), key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B"
        let report = try files.examine(
            """
            apns: {\(credentials), former_key_files: [\(old), \(key)]}
            apps: {sport: {tenants: [t-1], \(credentials)}}
            """, ["FANFARE_APPS_SPORT_FORMER_KEY_FILES": old])
        #expect(report.problems.isEmpty, "\(report.problems)")
        let configuration = try report.checked()
        #expect(configuration.apns.credentials?.formerKeyFiles == [old, key])
        #expect(configuration.apps.first?.credentials.formerKeyFiles == [old])
        let missing = try files.examine(
            """
            apns: {\(credentials), former_key_files: [/no/such/key]}
            apps: {sport: {tenants: [t-1], \(credentials), former_key_files: \(old)}}
            """)
        #expect(missing.errors.compactMap(\.key) == ["apps.sport.former_key_files", "apns.former_key_files"])
        #expect(
            missing.problems(of: "apns.former_key_files").first?.message == "The file \"/no/such/key\" does not exist.")
    }

    @Test("send to a Firebase project with one quota, whoever of them says it")
    func quota() throws {
        let files = try TemporaryFiles()
        let (key, one) = (try files.key(), try files.serviceAccount())
        let credentials = "key_file: \(key), key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B"
        func report(_ rate: Int) throws -> ConfigurationReport {
            try files.examine(
                """
                apns: {\(credentials)}
                fcm: {service_account_file: \(one), messages_per_minute: 90}
                apps: {sport: {tenants: [t-1], \(credentials), fcm: {service_account_file: \(one), messages_per_minute: \(rate)}}}
                """)
        }
        #expect(try report(90).problems.isEmpty)
        #expect(try report(80).problems.map(\.key) == ["apps.sport.fcm.messages_per_minute"])
    }

    @Test("have a way to Android of their own, or none; what else they do not say is as the default app has it")
    func android() throws {
        let files = try TemporaryFiles()
        let (key, one, two) = (try files.key(), try files.serviceAccount(), try files.serviceAccount("shop-2"))
        let credentials = "key_file: \(key), key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B"
        let report = try files.examine(
            """
            apns: {\(credentials)}
            fcm: {service_account_file: \(one), messages_per_minute: 90, connections: 3}
            apps:
              sport: {tenants: [t-1], \(credentials), fcm: {service_account_file: \(two), url: "https://h"}}
              travel: {tenants: [t-2], \(credentials)}
            """, ["FANFARE_APPS_SPORT_FCM_MESSAGES_PER_MINUTE": "80"])
        #expect(report.problems.isEmpty, "\(report.problems)")
        let configuration = try report.checked()
        #expect(configuration.fcm.serviceAccountFile == one)
        var sport = configuration.fcm
        (sport.serviceAccountFile, sport.url, sport.messagesPerMinute) = (two, "https://h", 80)
        #expect(configuration.apps.first?.fcm == sport && sport.connections == 3)
        #expect(configuration.apps.last?.fcm.serviceAccountFile == nil)
    }

    @Test("have channels only when they say so, and the default app's places and numbers for what they do not say")
    func channels() throws {
        let files = try TemporaryFiles()
        let key = try files.key()
        let credentials = "key_file: \(key), key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B"
        let report = try files.examine(
            """
            apns: {\(credentials), broadcast_capability: true, channels_exclusive: true, channel_pool: 7, broadcast_url: "https://b"}
            apps:
              sport: {tenants: [t-1], \(credentials), broadcast_capability: true, channel_grace: 2m}
              travel: {tenants: [t-2], \(credentials)}
            """, ["FANFARE_APPS_SPORT_SANDBOX_BROADCAST_URL": "https://s"])
        #expect(report.problems.isEmpty, "\(report.problems)")
        let configuration = try report.checked()
        #expect(configuration.apps.map(\.name) == ["sport", "travel"])
        var expected = GatewayConfiguration.BroadcastChannels()
        (expected.pool, expected.broadcastURL) = (7, "https://b")
        #expect(configuration.apps.last?.channels == expected)
        (expected.isEnabled, expected.grace, expected.sandboxBroadcastURL) = (true, .seconds(120), "https://s")
        #expect(configuration.apps.first?.channels == expected)
    }

    @Test("name service accounts' files that are checked, and are the owner's alone")
    func serviceAccounts() throws {
        let files = try TemporaryFiles()
        let open = try files.serviceAccount("open", mode: 0o644)
        let short = try CertificateMaker().makeRSAKey(bits: 1024)
        let warned = try files.examine("fcm: {service_account_file: \(open)}")
        #expect(warned.errors.isEmpty && warned.warnings(of: "fcm.service_account_file").count == 1)
        for (path, words) in [
            ("/no/such/file", "does not exist"), (files.directory, "is a directory"),
            (try files.write("x.json", "{\"type\":\"service_account\"}"), "\"project_id\" is missing"),
            (
                try files.serviceAccount("curve", key: String(contentsOfFile: files.key(), encoding: .utf8)),
                "not an RSA key"
            ),
            (try files.serviceAccount("short", key: short), "1024 bits, and 2,048 are required"),
            (
                try files.serviceAccount(
                    "damaged", key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), "is damaged"
            ),
        ] {
            let report = try files.examine("fcm: {service_account_file: \(path)}")
            #expect(report.errors.compactMap(\.key) == ["fcm.service_account_file"])
            #expect(report.errors.first?.message.contains(words) == true, "\(report.errors)")
        }
    }

    private static func defaultApp(_ key: String) -> [String: String] {
        [
            "FANFARE_APNS_KEY_FILE": key, "FANFARE_APNS_KEY_ID": "A", "FANFARE_APNS_TEAM_ID": "B",
            "FANFARE_APNS_BUNDLE_ID": "com.example",
        ]
    }

    @Test("stand beside a default app, for the tenants that none of them names")
    func withoutDefault() throws {
        let files = try TemporaryFiles()
        let key = try files.key()
        let text = "apps: {sport: {tenants: [t-1], key_file: \(key), key_id: K, team_id: T, bundle_id: B}}\n"
        let report = try files.examine(text, for: .gateway)
        #expect(report.errors.compactMap(\.key) == ["apns.key_file"])
        #expect(report.errors.first?.message.contains("The default app is missing") == true)
        #expect(try files.examine(text, Self.defaultApp(key)).errors.isEmpty)
    }

    @Test("that lack something are errors")
    func incomplete() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("apps: {sport: {tenants: t-1, key_id: K}}\n")
        #expect(
            report.errors.map(\.description) == [
                "error: apps.sport.tenants: The key needs a list, not a single value. "
                    + "Write it as a list: [one, two]. (\(files.directory)/fanfare.yaml:1)",
                "error: apps.sport: The app lacks key_file, team_id, bundle_id. "
                    + "Set tenants, key_file, key_id, team_id and bundle_id, or remove the app.",
            ])
    }

    @Test("that share a tenant, or whose key file is missing, are errors")
    func shared() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(
            """
            apps:
              a: {tenants: [t], key_file: \(try files.key()), key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B}
              b: {tenants: [t], key_file: /no/such/key, key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B}
            """, Self.defaultApp(try files.key()))
        #expect(
            report.errors.map(\.message) == [
                "The tenant \"t\" already belongs to the app a.", "The file \"/no/such/key\" does not exist.",
            ])
        #expect(report.errors.compactMap(\.key) == ["apps.b.tenants", "apps.b.key_file"])
    }
}
