import Connecting
import FCMCore
import Glibc
import Secrets

/// Checks that the files in a configuration exist and have valid contents.
enum FileChecks {
    static let sizeLimit = 4 << 20

    static func problems(
        of configuration: GatewayConfiguration, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if let file = configuration.apns.caFile { problems += authorities("apns.ca_file", file, settings) }
        if let file = configuration.apns.keyFile { problems += key("apns.key_file", file, settings) }
        for file in configuration.apns.formerKeyFiles { problems += key("apns.former_key_files", file, settings) }
        for app in configuration.apps {
            problems += key("apps.\(app.name).key_file", app.credentials.keyFile, settings)
            for file in app.credentials.formerKeyFiles {
                problems += key("apps.\(app.name).former_key_files", file, settings)
            }
        }
        problems += fcm("fcm", configuration.fcm, settings)
        for app in configuration.apps { problems += fcm("apps.\(app.name).fcm", app.fcm, settings) }
        if let file = configuration.events.sealingKeyFile {
            let advice = "Create it: head -c 32 /dev/urandom > \(file) && chmod 600 \(file)"
            problems += sealingKey("events.sealing_key_file", file, advice, settings)
        }
        for file in configuration.events.formerSealingKeyFiles {
            let advice =
                "Name the former file of events.sealing_key_file, or remove this key if nothing is sealed with it."
            problems += sealingKey("events.former_sealing_key_files", file, advice, settings)
        }
        if let file = configuration.events.caFile { problems += authorities("events.ca_file", file, settings) }
        if let file = configuration.audit.file { problems += auditFile(file, settings) }
        return problems
    }

    private static func fcm(
        _ key: String, _ fcm: GatewayConfiguration.FCM, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        // A file inherited from the default app is already checked.
        if let file = fcm.caFile, key == "fcm" || settings.source(of: "\(key).ca_file") != .defaultValue {
            problems += authorities("\(key).ca_file", file, settings)
        }
        if let file = fcm.serviceAccountFile {
            problems += serviceAccount("\(key).service_account_file", file, settings)
        }
        return problems
    }

    private static func serviceAccount(
        _ key: String, _ path: String, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        let message: String
        switch BoundedFile.read(path, limit: sizeLimit) {
        case .contents(let bytes, let rights):
            do {
                let account = try ServiceAccount(file: bytes)
                try PrivateKey(pem: Array(account.privateKey.utf8)).checkRS256()
                _ = try ProviderURL.parse(account.tokenURI)
                return readableByOthers(key, path, rights, settings)
            } catch let error as PrivateKey.Unusable {
                message = "The file \"\(path)\" is unusable: \"private_key\": \(error.reason)."
            } catch let error as ProviderURL.Malformed {
                message = "The file \"\(path)\" is unusable: \"token_uri\": \(error.reason)."
            } catch {
                message = "The file \"\(path)\" is not a service account: \(error)."
            }
        case .missing: message = "The file \"\(path)\" does not exist."
        case .refused(let reason): message = "The file \"\(path)\" \(reason)."
        }
        return [
            ConfigurationProblem(
                key: key, source: settings.source(of: key), message,
                advice: "Name the JSON key file of a service account that may send the project's messages.")
        ]
    }

    private static func key(_ key: String, _ path: String, _ settings: SettingsReader) -> [ConfigurationProblem] {
        // An encrypted key passes this check, so that the next one can report the encryption.
        let kinds = ["PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
        let (rights, problem) = check(key, path, holds: kinds, "a private key", settings)
        if let problem { return [problem] }
        let reason: String
        do throws(PrivateKey.Unusable) {
            if try PrivateKey(file: path).isP256 {
                return rights.map { readableByOthers(key, path, $0, settings) } ?? []
            }
            reason = "its key is not an elliptic-curve key on P-256, like Apple's keys"
        } catch {
            reason = error.reason
        }
        return [
            ConfigurationProblem(
                key: key, source: settings.source(of: key), "The file \"\(path)\" is unusable: \(reason).",
                advice: "Name the .p8 file as downloaded from Apple's developer site.")
        ]
    }

    static func readableByOthers(
        _ key: String, _ path: String, _ rights: FileRights, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        guard rights.areOpen else { return [] }
        return [
            ConfigurationProblem(
                severity: .warning, key: key, source: settings.source(of: key),
                "Other users than the owner can read or change \"\(path)\" (mode \(rights.text)).",
                advice: "Run: chmod 600 \(path)")
        ]
    }

    static func sealingKey(
        _ key: String, _ path: String, _ advice: String, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        func problem(
            _ severity: ConfigurationProblem.Severity, _ message: String, _ advice: String
        ) -> [ConfigurationProblem] {
            [
                ConfigurationProblem(
                    severity: severity, key: key, source: settings.source(of: key), message, advice: advice)
            ]
        }
        switch BoundedFile.read(path, limit: 65_536) {
        case .contents(let bytes, _) where bytes.count < 32:
            return problem(.error, "The file \"\(path)\" has fewer than 32 bytes.", advice)
        case .contents(_, let rights): return readableByOthers(key, path, rights, settings)
        case .missing: return problem(.error, "The file \"\(path)\" does not exist.", advice)
        case .refused(let reason):
            return problem(.error, "The file \"\(path)\" \(reason).", "Name a file that the gateway's user can read.")
        }
    }

    /// Checks a file of trusted certificates.
    static func authorities(
        _ key: String, _ path: String, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        if let problem = check(key, path, holds: ["CERTIFICATE"], "certificates", settings).problem { return [problem] }
        guard case .contents(let text, _) = BoundedFile.read(path, limit: sizeLimit),
            !Certificate.areReadable(pem: text)
        else { return [] }
        return [
            ConfigurationProblem(
                key: key, source: settings.source(of: key),
                "The file \"\(path)\" is unusable: a certificate in it is damaged.",
                advice: "Name the PEM file as the authority issued it.")
        ]
    }

    static func check(
        _ key: String, _ path: String, holds marks: [String], _ noun: String, _ settings: SettingsReader
    ) -> (rights: FileRights?, problem: ConfigurationProblem?) {
        let message: String
        let advice: String
        switch BoundedFile.read(path, limit: sizeLimit) {
        case .contents(let bytes, let rights):
            let text = String(decoding: bytes, as: UTF8.self)
            if marks.contains(where: { text.contains("-----BEGIN \($0)-----") }) { return (rights, nil) }
            message = "The file \"\(path)\" has no PEM block of \(noun)."
            advice = "Name the PEM file of \(noun)."
        case .missing:
            message = "The file \"\(path)\" does not exist."
            advice = "Name an existing file; a relative path starts at the working directory."
        case .refused(let reason):
            message = "The file \"\(path)\" \(reason)."
            advice = "Name a file that the gateway's user can read."
        }
        return (nil, ConfigurationProblem(key: key, source: settings.source(of: key), message, advice: advice))
    }

    /// Checks the directory only. The file is created when needed, by a user who is unknown here.
    private static func auditFile(_ path: String, _ settings: SettingsReader) -> [ConfigurationProblem] {
        let key = "audit.file"
        func isDirectory(_ path: String) -> Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let message =
            if isDirectory(path) { "\"\(path)\" is a directory." } else {
                "The directory \"\(directory)\" does not exist."
            }
        guard isDirectory(path) || !isDirectory(directory) else { return [] }
        return [
            ConfigurationProblem(
                key: key, source: settings.source(of: key), message,
                advice: "Name a file in a directory of the gateway's user.")
        ]
    }
}
