import Yams

/// The YAML file, read once: its values by path, with their line numbers.
struct ConfigurationFile {
    enum Contents: Equatable {
        case text(String)
        case list([String])
        /// A key without a value, or a group without keys. Treated as absent.
        case nothing
    }

    struct Leaf: Equatable {
        var path: String
        var contents: Contents
        var line: Int?
    }

    let path: String
    /// In the order of the file.
    private(set) var leaves: [Leaf] = []

    /// Reads a named file. Returns nil and adds a problem if it is missing or unreadable.
    static func read(_ path: String, problems: inout [ConfigurationProblem]) -> ConfigurationFile? {
        switch BoundedFile.read(path, limit: sizeLimit, mayBePipe: true) {
        case .contents(let bytes, _): return parsed(path, bytes, &problems)
        case .missing:
            problems.append(
                ConfigurationProblem(
                    "The file \(path) does not exist.", advice: "Name an existing file, or omit --config."))
        case .refused(let reason):
            problems.append(
                ConfigurationProblem("The file \(path) \(reason).", advice: "Name a readable YAML file."))
        }
        return nil
    }

    /// Reads the first existing file. Returns nil if there is none. An unreadable file also gives nil, and a problem,
    /// because the next file may configure another store.
    static func readFirst(of paths: [String], problems: inout [ConfigurationProblem]) -> ConfigurationFile? {
        for path in paths {
            switch BoundedFile.read(path, limit: sizeLimit) {
            case .contents(let bytes, _): return parsed(path, bytes, &problems)
            case .missing: continue
            case .refused(let reason):
                problems.append(
                    ConfigurationProblem(
                        "The default file \(path) \(reason).",
                        advice:
                            "Run the command as the gateway's user, like with sudo -u fanfare, or name another file."))
                return nil
            }
        }
        return nil
    }

    private static func parsed(
        _ path: String, _ bytes: [UInt8], _ problems: inout [ConfigurationProblem]
    ) -> ConfigurationFile {
        var file = ConfigurationFile(path: path)
        do throws(FileRefusal) {
            try file.parse(bytes)
        } catch {
            problems.append(
                ConfigurationProblem(
                    source: .file(path: path, line: error.line), error.message, advice: error.advice))
        }
        return file
    }

    subscript(key: String) -> Leaf? { leaves.first { $0.path == key && $0.contents != .nothing } }
}

extension ConfigurationFile {
    private static let sizeLimit = 1 << 20
    private static let leafLimit = 10_000

    struct FileRefusal: Error {
        var message: String
        var advice: String
        var line: Int?
    }

    private mutating func parse(_ bytes: [UInt8]) throws(FileRefusal) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileRefusal(message: "The file is not UTF-8 text.", advice: "Save it as UTF-8.")
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Self.refusal(error)
        }
        guard let root, !Self.isNull(root) else { return }
        guard case .mapping(let mapping) = root else {
            throw FileRefusal(
                message: "The file is not a mapping of keys to values.", advice: "Write lines of `key: value`.")
        }
        try walk(mapping, under: [])
    }

    private mutating func walk(_ mapping: Node.Mapping, under prefix: [String]) throws(FileRefusal) {
        for (name, node) in mapping {
            let line = (name.mark ?? node.mark)?.line
            guard case .scalar(let scalar) = name, prefix.count < 8, leaves.count < Self.leafLimit else {
                throw FileRefusal(
                    message: "The file has a key that is not a word, or too many keys.",
                    advice: "Compare it with config/fanfare.yaml (installed: share/doc/fanfare).", line: line)
            }
            let components = prefix + [scalar.string]
            if case .mapping(let inner) = node, !inner.isEmpty {
                try walk(inner, under: components)
                continue
            }
            if case .sequence(let elements) = node, !elements.isEmpty, elements.allSatisfy({ $0.mapping != nil }) {
                // Elements of a list of groups are numbered from 0.
                for (number, element) in elements.enumerated() {
                    if let inner = element.mapping { try walk(inner, under: components + [String(number)]) }
                }
                continue
            }
            let path = components.joined(separator: ".")
            guard !leaves.contains(where: { $0.path == path }) else {
                throw FileRefusal(
                    message: "The key \(path) appears twice.", advice: "Remove one of them.", line: line)
            }
            leaves.append(Leaf(path: path, contents: try Self.contents(of: node, path, line), line: line))
        }
    }

    private static func contents(of node: Node, _ path: String, _ line: Int?) throws(FileRefusal) -> Contents {
        switch node {
        case .scalar(let scalar): return isNull(node) ? .nothing : .text(scalar.string)
        case .mapping: return .nothing
        case .sequence(let sequence):
            let texts = sequence.compactMap { element -> String? in
                if case .scalar(let scalar) = element { scalar.string } else { nil }
            }
            if texts.count == sequence.count { return .list(texts) }
            fallthrough
        case .alias:
            throw FileRefusal(
                message: "The key \(path) has an unsupported kind of value.",
                advice: "Use a plain value or a list of plain values.",
                line: line)
        }
    }

    private static func isNull(_ node: Node) -> Bool { node.tag == Tag(.null) }

    /// Keeps only the parser's reason and position. Its full text quotes the file, which may contain a password.
    private static func refusal(_ error: any Error) -> FileRefusal {
        let advice = "Compare it with config/fanfare.yaml: two spaces of indentation, `key: value`."
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return FileRefusal(
                message: "The file is not YAML: \(problem) (column \(mark.column)).", advice: advice, line: mark.line)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.sorted().joined(separator: ", ")
            return FileRefusal(
                message: "A key appears twice: \(names).", advice: "Remove one of them.", line: context.mark.line)
        default:
            return FileRefusal(message: "The file is not YAML.", advice: advice)
        }
    }
}
