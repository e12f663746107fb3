import CStoreScripts
import RedisClient

/// The scripts assembled from Lua files. Each gets the parts that it includes, locals for its keys and arguments, and
/// the values of constants. They are assembled once, and Redis runs plain Lua.
struct ScriptLibrary {
    /// The scripts by name.
    let scripts: [String: RedisScript]
    let files: [String: ScriptFile]

    /// The files embedded in the executable. A malformed file is a programming error.
    static let embedded: ScriptLibrary = {
        let bytes = UnsafeBufferPointer(start: store_scripts_bytes(), count: store_scripts_length())
        let texts = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        do {
            return try ScriptLibrary(texts)
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    init(_ texts: [String]) throws(ScriptFile.Malformed) {
        var files: [String: ScriptFile] = [:]
        for text in texts {
            let file = try ScriptFile(text[...])
            guard files.updateValue(file, forKey: file.name) == nil else {
                throw ScriptFile.Malformed(description: "two Lua files are called \(file.name)")
            }
        }
        self.files = files
        var scripts: [String: RedisScript] = [:]
        for file in files.values where file.kind != .part {
            let arity = RedisScriptArity(keys: .init(file.keys), arguments: .init(file.arguments))
            scripts[file.name] = RedisScript(
                name: file.name, source: try ScriptLibrary.source(of: file, files), arity: arity)
        }
        self.scripts = scripts
    }

    /// The script of a name, which must exist.
    subscript(_ name: String) -> RedisScript {
        guard let script = scripts[name] else { preconditionFailure("no Lua file is called \(name)") }
        return script
    }

    /// Returns the code of a part with all that it includes, ready to precede its user.
    func source(ofPart name: String) throws(ScriptFile.Malformed) -> String {
        guard let file = files[name] else { throw ScriptFile.Malformed(description: "no Lua file is called \(name)") }
        return try ScriptLibrary.source(of: file, files)
    }

    private static func source(
        of file: ScriptFile, _ files: [String: ScriptFile]
    ) throws(ScriptFile.Malformed) -> String {
        var included: Set<String> = []
        var source = ""
        try include(file, files, &included, &source)
        return source
    }

    private static func include(
        _ file: ScriptFile, _ files: [String: ScriptFile], _ included: inout Set<String>, _ source: inout String
    ) throws(ScriptFile.Malformed) {
        guard included.insert(file.name).inserted else { return }
        for name in file.includes {
            guard let part = files[name], part.kind == .part else {
                throw ScriptFile.Malformed(description: "\(file.name) includes \(name), which is no part")
            }
            try include(part, files, &included, &source)
        }
        let tokens = LuaToken.tokens(of: file.code)
        let names = Set(tokens.compactMap { if case .name(let name) = $0 { name.prefix { $0 != "." } } else { nil } })
        source += locals(file.keys, "KEYS", names) + locals(file.arguments, "ARGV", names)
        for token in tokens {
            switch token {
            case .other(let text): source += text
            case .name(let name):
                if name.contains("."), name.prefix(while: { $0 != "." }).allSatisfy({ $0.isUppercase || $0 == "_" }) {
                    guard let value = ScriptConstants.values[String(name)] else {
                        throw ScriptFile.Malformed(description: "\(file.name) knows \(name), which is no constant")
                    }
                    source += value
                } else {
                    source += name
                }
            }
        }
        if source.last != "\n" { source += "\n" }
    }

    /// Returns `local a, b = KEYS[1], KEYS[2]` for the names that the code uses.
    private static func locals(
        _ parameters: [ScriptFile.Parameter], _ list: String, _ used: Set<Substring>
    ) -> String {
        var names: [String] = []
        var values: [String] = []
        for (index, parameter) in parameters.enumerated() {
            let name = parameter.group == nil ? parameter.name : "\(parameter.name)_at"
            guard used.contains(name[...]) else { continue }
            names.append(name)
            values.append(parameter.group == nil ? "\(list)[\(index + 1)]" : "\(index + 1)")
        }
        guard !names.isEmpty else { return "" }
        return "local \(names.joined(separator: ", ")) = \(values.joined(separator: ", "))\n"
    }
}
