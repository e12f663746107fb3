import Foundation

/// The package as the package manager reads it.
struct Manifest: Decodable {
    struct Target: Decodable {
        let name: String
        let type: String
        let path: String?
        let dependencies: [Dependency]

        /// The folder of its files, relative to the package root.
        var folder: String { path ?? (type == "test" ? "Tests/\(name)" : "Sources/\(name)") }

        var isOfProduct: Bool { folder.hasPrefix("Sources/") }

        /// The layer's name, from `Sources/<layer>/<target>`; nil outside the product.
        var layer: String? {
            let folders = folder.split(separator: "/")
            return isOfProduct && folders.count == 3 ? String(folders[1]) : nil
        }
    }

    /// A target of this package, or a product of another one. The first string of its list is the name.
    struct Dependency: Decodable {
        let name: String

        /// A string of the list; nil for any other value.
        private struct Word: Decodable {
            let text: String?

            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let lists = try container.decode([String: [Word]].self)
            guard let name = lists.values.lazy.compactMap({ $0.first?.text }).first else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "a dependency without a name")
            }
            self.name = name
        }
    }

    let targets: [Target]

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// Runs the package manager once.
    static let package: Result<Manifest, any Error> = Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let swift = ProcessInfo.processInfo.environment["SWIFT"] ?? "swift"
        process.arguments = [swift, "package", "--ignore-lock", "dump-package"]
        process.currentDirectoryURL = root
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode(Manifest.self, from: text)
    }

    func target(_ name: String) -> Target? { targets.first { $0.name == name } }

    /// Returns all direct and transitive dependencies of a target.
    func everythingBelow(_ name: String) -> Set<String> {
        var found: Set<String> = []
        var rest = target(name)?.dependencies.map(\.name) ?? []
        while let next = rest.popLast() {
            if found.insert(next).inserted { rest += target(next)?.dependencies.map(\.name) ?? [] }
        }
        return found
    }
}

/// A Swift file of a target.
struct SourceFile {
    let target: Manifest.Target
    /// Relative to the package root.
    let path: String
    let text: String
    let imports: Set<String>

    static func all(of manifest: Manifest) throws -> [SourceFile] {
        try manifest.targets.filter { $0.type != "system" }.flatMap { target -> [SourceFile] in
            let folder = Manifest.root.appending(path: target.folder)
            let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            return try names.filter { $0.hasSuffix(".swift") }.map { name in
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                return SourceFile(
                    target: target, path: "\(target.folder)/\(name)", text: text, imports: imports(in: text))
            }
        }
    }

    /// Returns the imported modules, including those of scoped imports.
    static func imports(in text: String) -> Set<String> {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
        let levels: Set<Substring> = ["public", "package", "internal", "private"]
        return Set(
            text.split(separator: "\n").filter { $0.first != " " }.compactMap { line -> String? in
                var words = line.split(separator: " ")[...]
                words = words.drop { $0.hasPrefix("@") || levels.contains($0) }
                guard words.first == "import" else { return nil }
                words = words.dropFirst()
                if let word = words.first, kinds.contains(word) { words = words.dropFirst() }
                return words.first.flatMap { $0.split(separator: ".").first }.map(String.init)
            })
    }
}
