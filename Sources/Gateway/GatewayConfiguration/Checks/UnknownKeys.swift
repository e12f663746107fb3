import Encodings

/// Reports keys of the file and variables of the environment that are not read, which are mostly typing errors.
enum UnknownKeys {
    static func problems(
        in file: ConfigurationFile?, environment: [String: String], known: [String]
    ) -> [ConfigurationProblem] {
        let groups = Set(known.flatMap { prefixes(of: $0) }).union(openGroups)
        var problems: [ConfigurationProblem] = []
        for leaf in file?.leaves ?? [] where !known.contains(leaf.path) {
            // A group whose keys are all commented out is no problem.
            if leaf.contents == .nothing, groups.contains(leaf.path) { continue }
            problems.append(
                ConfigurationProblem(
                    key: leaf.path, source: .file(path: file?.path ?? "", line: leaf.line),
                    explanation(of: leaf.path, groups, known), advice: advice(for: leaf.path, groups, known)))
        }
        return problems + variables(environment, known, groups)
    }

    /// Groups whose members have free names or numbers.
    private static let openGroups: Set = ["apps", FeedSettings.key]

    private static func explanation(of path: String, _ groups: Set<String>, _ known: [String]) -> String {
        if groups.contains(path) { return "This key is a group, not a value." }
        if prefixes(of: path).contains(where: known.contains) { return "The key above this one has a single value." }
        return "The key does not exist."
    }

    private static func advice(for path: String, _ groups: Set<String>, _ known: [String]) -> String {
        if path == FeedSettings.key { return "Write a list of feeds, each with tenant and url." }
        if path == "apps" { return "Write a name for each app: apps.<name>.key_file and so on." }
        let components = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if components[0] == "apps", components.count < 3 || !SettingsReader.isAppName(components[1]) {
            return "Name an app in lower-case letters, digits and _, with its keys under it."
        }
        if groups.contains(path) {
            return "Its keys are \(known.filter { $0.hasPrefix(path + ".") }.joined(separator: ", "))."
        }
        if let owner = prefixes(of: path).first(where: known.contains) { return "Write \(owner): value." }
        if let near = NearestName.find(path, in: known) { return "Did you mean \(near)?" }
        return "Remove it, or see config/fanfare.yaml (installed: share/doc/fanfare) for valid keys."
    }

    /// Warns only of variables that resemble a key, because other programs may also use the prefix FANFARE_.
    private static func variables(
        _ environment: [String: String], _ known: [String], _ groups: Set<String>
    ) -> [ConfigurationProblem] {
        let names = known.map(SettingsReader.variable)
        let starts = groups.map { SettingsReader.variable(of: $0) + "_" }
        return environment.keys.sorted().compactMap { variable in
            guard variable.hasPrefix("FANFARE_"), !names.contains(variable) else { return nil }
            let near = NearestName.find(variable, in: names)
            guard near != nil || starts.contains(where: variable.hasPrefix) else { return nil }
            return ConfigurationProblem(
                severity: .warning, source: .environment(variable: variable),
                "The environment variable \(variable) sets no key.",
                advice: near.map { "Did you mean \($0)?" }
                    ?? "Remove it, or see config/fanfare.yaml (installed: share/doc/fanfare) for valid names.")
        }
    }

    /// Returns `a` and `a.b` for `a.b.c`.
    private static func prefixes(of path: String) -> [String] {
        let components = path.split(separator: ".", omittingEmptySubsequences: false)
        return components.indices.dropFirst().map { components[..<$0].joined(separator: ".") }
    }
}
