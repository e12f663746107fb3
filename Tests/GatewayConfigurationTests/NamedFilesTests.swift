import Foundation
import GatewayConfiguration
import Testing

@Suite("Files and credentials")
struct NamedFilesTests {
    private func environment(_ key: String) -> [String: String] {
        [
            "FANFARE_APNS_KEY_FILE": key, "FANFARE_APNS_KEY_ID": "ABC1234567", "FANFARE_APNS_TEAM_ID": "DEF1234567",
            "FANFARE_APNS_BUNDLE_ID": "com.example.app", "FANFARE_REDIS_URL": "redis://localhost",
        ]
    }

    @Test("that are whole give credentials and no problem")
    func whole() throws {
        let files = try TemporaryFiles()
        let key = try files.key()
        var environment = environment(key)
        environment["FANFARE_APNS_CA_FILE"] = try files.certificates()
        let report = try files.examine("", environment)
        #expect(report.problems.isEmpty, "\(report.problems)")
        #expect(
            try report.checked().apns.credentials
                == .init(keyFile: key, keyID: "ABC1234567", teamID: "DEF1234567", bundleID: "com.example.app"))
    }

    @Test(
        "that are missing, unreadable or hold something else are errors", arguments: ["apns.key_file", "apns.ca_file"])
    func wrongFiles(name: String) throws {
        let files = try TemporaryFiles()
        let other = try files.write("other.pem", "-----BEGIN PUBLIC KEY-----\n")
        // The pipe has no writer, and the check must not wait for one.
        let pipe = "\(files.directory)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let noun = name == "apns.key_file" ? "a private key" : "certificates"
        for (path, message) in [
            ("\(files.directory)/none", "The file \"\(files.directory)/none\" does not exist."),
            (files.directory, "The file \"\(files.directory)\" is a directory."),
            (pipe, "The file \"\(pipe)\" is not a regular file."),
            (other, "The file \"\(other)\" has no PEM block of \(noun)."),
        ] {
            var environment = environment(try files.key())
            let variable = "FANFARE_" + name.uppercased().split(separator: ".").joined(separator: "_")
            environment[variable] = path
            let report = try files.examine("", environment)
            #expect(report.errors.map(\.message) == [message])
            #expect(report.errors.first?.key == name)
            #expect(report.errors.first?.source == .environment(variable: variable))
        }
    }

    @Test(
        "A bundle identifier that no app can have is an error",
        arguments: [
            "com.example.app.push-type.liveactivity", "com.example.app.push-type.voip", "com.example_app",
            "com..app", ".com.app", "com.app.", "com.example.*", String(repeating: "a", count: 156),
        ])
    func bundleIdentifier(text: String) throws {
        let files = try TemporaryFiles()
        var environment = environment(try files.key())
        environment["FANFARE_APNS_BUNDLE_ID"] = text
        let errors = try files.examine("", environment).errors
        #expect(errors.map(\.key) == ["apns.bundle_id"], "\(errors)")
        #expect(errors.first?.message.hasPrefix("\"\(text)\" is not a bundle identifier: ") == true)
    }

    @Test("A bundle identifier that an app can have is accepted", arguments: ["com.example.my-App2", "App", "a.voip"])
    func possibleBundleIdentifier(text: String) throws {
        let files = try TemporaryFiles()
        var environment = environment(try files.key())
        environment["FANFARE_APNS_BUNDLE_ID"] = text
        #expect(try files.examine("", environment).problems.isEmpty)
    }

    @Test("A key that is not Apple's kind is an error, and so is one that is damaged; odd identifiers are warned of")
    func keys() throws {
        let files = try TemporaryFiles()
        let damaged = try files.write("damaged.p8", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        #expect(
            try files.examine("", environment(damaged)).errors.map(\.message)
                == ["The file \"\(damaged)\" is unusable: the private key in it is damaged."])
        let encrypted = try files.write(
            "encrypted.p8", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")
        #expect(
            try files.examine("", environment(encrypted)).errors.map(\.message)
                == ["The file \"\(encrypted)\" is unusable: the key is encrypted with a passphrase."])
        for arguments in [["RSA", "rsa_keygen_bits:2048"], ["EC", "ec_paramgen_curve:P-384"]] {
            let path = "\(files.directory)/other.p8"
            let openssl = Process()
            openssl.executableURL = URL(filePath: "/usr/bin/env")
            openssl.arguments = [
                "openssl", "genpkey", "-algorithm", arguments[0], "-pkeyopt", arguments[1], "-out", path,
            ]
            openssl.standardError = FileHandle.nullDevice
            try openssl.run()
            openssl.waitUntilExit()
            try #require(openssl.terminationStatus == 0)
            let report = try files.examine("", environment(path))
            #expect(report.errors.map(\.key) == ["apns.key_file"], "\(arguments)")
            #expect(
                report.errors.first?.message.contains("not an elliptic-curve key on P-256") == true, "\(report.errors)")
        }
        var odd = environment(try files.key())
        odd["FANFARE_APNS_KEY_ID"] = "bad"
        odd["FANFARE_APNS_TEAM_ID"] = "def1234567"
        let report = try files.examine("", odd)
        #expect(report.errors.isEmpty && report.warnings.compactMap(\.key) == ["apns.key_id", "apns.team_id"])
    }

    @Test("A system without certificates of authorities is told of, and in the way where the provider's leads to them")
    func systemRoots() throws {
        let files = try TemporaryFiles()
        func severities(_ places: [String], caFile: Bool) throws -> [ConfigurationProblem.Severity] {
            var environment = environment(try files.key())
            if caFile { environment["FANFARE_APNS_CA_FILE"] = try files.certificates() }
            let report = GatewayConfiguration.examine(
                file: try files.write("empty.yaml", ""), environment: environment, roots: places)
            let found = report.problems.filter { $0.message.contains("no root certificates") }
            #expect(found.allSatisfy { $0.advice.contains("ca-certificates") })
            return found.map(\.severity)
        }
        let none = ["/no/such/file", "\(files.directory)/none/*"]
        #expect(try severities(none, caFile: false) == [.error])
        #expect(try severities(none, caFile: true) == [.warning])
        #expect(try severities(none + ["\(files.directory)/*"], caFile: false) == [])
        #expect(try severities(none + [try files.certificates()], caFile: false) == [])
    }

    /// Uses a loop of symbolic links, which root cannot open either.
    @Test("that can't be opened are errors, by the system's words")
    func unreadable() throws {
        let files = try TemporaryFiles()
        let loop = "\(files.directory)/loop.p8"
        try #require(symlink(loop, loop) == 0)
        let report = try files.examine("", environment(loop))
        #expect(
            report.errors.map(\.message)
                == ["The file \"\(loop)\" can't be read (Too many levels of symbolic links)."])
    }

    @Test("warn when others can read the key", arguments: [0o644, 0o604, 0o666] as [mode_t])
    func openKey(mode: mode_t) throws {
        let files = try TemporaryFiles()
        let key = try files.key("open.p8", mode: mode)
        let report = try files.examine("", environment(key))
        #expect(report.errors.isEmpty)
        #expect(report.warnings.map(\.advice) == ["Run: chmod 600 \(key)"])
        #expect(report.warnings.first?.message.contains("mode 0\(String(mode, radix: 8))") == true)
    }

    @Test("that are there in part are errors that name what is missing")
    func partial() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("", ["FANFARE_APNS_KEY_FILE": try files.key(), "FANFARE_APNS_TEAM_ID": "T"])
        #expect(report.errors.compactMap(\.key) == ["apns.key_id", "apns.bundle_id"])
        #expect(
            report.errors.first?.description
                == "error: apns.key_id: The key is missing, but apns.key_file, apns.team_id are set. "
                + "Set it here or with FANFARE_APNS_KEY_ID; APNs needs all four.")
    }

    @Test("that are not there at all are in a gateway's way, and in nobody else's", arguments: [false, true])
    func none(besideApp: Bool) throws {
        let files = try TemporaryFiles()
        let app = "tenants: [t], key_file: \(try files.key()), key_id: KKKKKKKKKK, team_id: TTTTTTTTTT, bundle_id: B"
        let text = "redis.url: redis://localhost\n" + (besideApp ? "apps: {sport: {\(app)}}\n" : "")
        let gateway = try files.examine(text, for: .gateway)
        #expect(gateway.errors.compactMap(\.key) == ["apns.key_file"])
        #expect(gateway.errors.first?.advice.contains("apns.team_id") == true)
        if !besideApp {
            for way in ["fanfare demo", "fanfare mock-apns"] {
                #expect(gateway.errors.first?.advice.contains(way) == true)
            }
        }
        let store = try files.examine(text)
        #expect(store.warnings.compactMap(\.key) == ["apns.key_file"])
        #expect(store.errors.isEmpty)
    }

    @Test("of the audit log are in a directory that is there, and none themselves")
    func auditFile() throws {
        let files = try TemporaryFiles()
        let folder = files.directory
        func messages(_ path: String) throws -> [String] {
            try files.examine("audit: {file: \(path)}\n").errors.filter { $0.key == "audit.file" }.map(\.message)
        }
        #expect(try messages("\(folder)/none/audit") == ["The directory \"\(folder)/none/\" does not exist."])
        #expect(try messages(folder) == ["\"\(folder)\" is a directory."])
        #expect(try messages("\(folder)/audit") == [])
        #expect(try messages("audit") == [])
    }

    @Test("of the private store are not where anybody may write", arguments: [0o777, 0o1777] as [mode_t])
    func writableByAll(mode: mode_t) throws {
        let files = try TemporaryFiles()
        try #require(chmod(files.directory, mode) == 0)
        let report = try files.examine("redis.data_dir: \(files.directory)\n")
        #expect(report.errors.map(\.message) == ["Every user can write to \"\(files.directory)\"."])
    }

    @Test("of the private store are looked at only where it is used")
    func privateStore() throws {
        let files = try TemporaryFiles()
        let text = "redis: {data_dir: \(try files.key()), server_path: no-such-server}\n"
        let report = try files.examine(text)
        #expect(report.problems(of: "redis.data_dir").first?.message.hasSuffix("is not a directory.") == true)
        #expect(report.problems(of: "redis.server_path").map(\.severity) == [.error])
        let elsewhere = try files.examine(text, ["FANFARE_REDIS_URL": "redis://localhost"])
        #expect(elsewhere.problems(of: "redis.data_dir").isEmpty)
        #expect(elsewhere.problems(of: "redis.server_path").isEmpty)
        let found = try files.examine(
            "redis.server_path: \(try files.write("server", "", mode: 0o700).split(separator: "/").last ?? "")\n",
            ["PATH": "/nowhere:\(files.directory)"])
        #expect(found.problems(of: "redis.server_path").isEmpty)
    }
}
