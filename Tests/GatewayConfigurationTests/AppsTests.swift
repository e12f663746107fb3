import GatewayConfiguration
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
            ])
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
        // Somebody can push, so the lack of a default app is no matter.
        #expect(report.warnings(of: "apns.key_file").isEmpty)
    }

    @Test("that lack something are errors")
    func incomplete() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("apps: {sport: {tenants: t-1, key_id: K}}\n")
        #expect(
            report.errors.map(\.description) == [
                "error: apps.sport.tenants: A single value stands where a list belongs. "
                    + "Write it as a list: [one, two]. (\(files.directory)/fanfare.yaml:1)",
                "error: apps.sport: The app has no key_file, team_id, bundle_id. "
                    + "Give tenants, key_file, key_id, team_id and bundle_id, or take the app out.",
            ])
    }

    @Test("that share a tenant, or whose key file is missing, are errors")
    func shared() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(
            """
            apps:
              a: {tenants: [t], key_file: \(try files.key()), key_id: K, team_id: T, bundle_id: B}
              b: {tenants: [t], key_file: /no/such/key, key_id: K, team_id: T, bundle_id: B}
            """)
        #expect(
            report.errors.map(\.message) == [
                "The tenant \"t\" belongs to the app a already.", "There is no file \"/no/such/key\".",
            ])
        #expect(report.errors.compactMap(\.key) == ["apps.b.tenants", "apps.b.key_file"])
    }
}
