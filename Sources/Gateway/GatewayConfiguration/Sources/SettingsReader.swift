import Configuration

/// Reads values by key from the environment, then from the file, and records the keys that were read.
struct SettingsReader {
    let file: ConfigurationFile?
    let environment: [String: String]
    private let reader: ConfigReader
    private(set) var entries: [ConfigurationEntry] = []
    private(set) var problems: [ConfigurationProblem] = []

    init(file: ConfigurationFile?, environment: [String: String]) {
        self.file = file
        // Compose files and unit files pass unset variables on as empty ones.
        let present = environment.filter { !$0.value.isEmpty && !ServiceLinks.isLink($0.key, $0.value) }
        self.environment = present
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for leaf in file?.leaves ?? [] {
            let key = AbsoluteConfigKey(ConfigKey(leaf.path))
            switch leaf.contents {
            case .text(let text): values[key] = ConfigValue(.string(text), isSecret: true)
            case .list(let texts): values[key] = ConfigValue(.stringArray(texts), isSecret: true)
            case .nothing: break
            }
        }
        reader = ConfigReader(providers: [
            EnvironmentVariablesProvider(environmentVariables: present, secretsSpecifier: .all)
                .prefixKeys(with: "fanfare"),
            InMemoryProvider(name: file?.path ?? "no file", values: values),
        ])
    }

    var known: [String] { entries.map(\.key) }

    /// The environment variable of a key.
    static func variable(of key: String) -> String {
        "FANFARE_" + key.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    /// Returns the origin of a key's value.
    func source(of key: String) -> ConfigurationSource {
        let variable = Self.variable(of: key)
        if environment[variable] != nil { return .environment(variable: variable) }
        if let file, let leaf = file[key] { return .file(path: file.path, line: leaf.line) }
        return .defaultValue
    }

    /// Reads a value. Keeps the present value if none is set or if it is refused.
    mutating func read<Value>(_ key: String, _ form: ValueForm<Value>, into value: inout Value) {
        let found = find(key, form)
        if let found { value = found }
        record(key, form.show(value), isRefused: found == nil)
    }

    /// Reads a value that has no default.
    mutating func read<Value>(_ key: String, _ form: ValueForm<Value>, into value: inout Value?) {
        value = find(key, form)
        record(key, value.map(form.show), isRefused: value == nil)
    }

    /// Reads a list of words: a list in the file, separated by commas in the environment.
    mutating func readList(_ key: String) -> [String] {
        readList(key, .word, "Use identifiers without spaces.")
    }

    /// Reads a list of paths: a list in the file, separated by commas in the environment.
    mutating func readPaths(_ key: String) -> [String] {
        readList(key, .path, "Use paths of files.")
    }

    private mutating func readList(_ key: String, _ form: ValueForm<String>, _ advice: String) -> [String] {
        var found: [String] = []
        if source(of: key) != .defaultValue {
            let texts = reader.stringArray(forKey: ConfigKey(key), isSecret: true)
            if texts == nil {
                refuse(key, "The key needs a list, not a single value.", "Write it as a list: [one, two].")
            }
            for text in texts ?? [] {
                do throws(ValueRefusal) {
                    found.append(try form.parse(text))
                } catch {
                    let shown = Redaction.quoted(text) ?? "An element"
                    refuse(key, "\(shown) is not \(form.noun).", advice)
                }
            }
        }
        record(key, found.isEmpty ? nil : found.joined(separator: ","), isRefused: found.isEmpty)
        return found
    }

    mutating func refuse(_ key: String, _ message: String, _ advice: String) {
        problems.append(ConfigurationProblem(key: key, source: source(of: key), message, advice: advice))
    }

    private mutating func find<Value>(_ key: String, _ form: ValueForm<Value>) -> Value? {
        guard source(of: key) != .defaultValue else { return nil }
        guard let text = reader.string(forKey: ConfigKey(key), isSecret: true) else {
            refuse(key, "The key needs a single value, not a list.", form.advice)
            return nil
        }
        do throws(ValueRefusal) {
            return try form.parse(text)
        } catch {
            let shown = form.showRefused(text) ?? "The value, which is not shown here,"
            refuse(key, "\(shown) \(error.reason ?? "is not \(form.noun)").", error.advice ?? form.advice)
            return nil
        }
    }

    private mutating func record(_ key: String, _ shown: String?, isRefused: Bool) {
        entries.append(
            ConfigurationEntry(
                key: key, variable: Self.variable(of: key), value: shown,
                source: isRefused ? .defaultValue : source(of: key)))
    }
}
