import Testing

/// Drivers only drive: a class outside the pure layer has little state, and a function or a type can be read at once.
@Suite("Sizes")
struct SizeTests {
    /// The most stored variables of a class, lines of a function, and lines of a type with its extensions.
    private static let most = (variables: 12, function: 40, type: 600)

    /// Present exceptions. A figure may only shrink, and what complies leaves the list.
    private static let exceptions = [
        "lines of GatewayAPI.PlainHead.init": 61,
        "lines of GatewayAPI.ReportHandler": 826,
        "lines of GatewayConfiguration.GatewayConfiguration": 817,
        "lines of GatewayConfiguration.GatewayConfiguration.read": 100,
        "lines of GatewayStore.GatewayStore.init": 64,
        "lines of PushClient.PushClient": 1246,
        "lines of PushClient.PushClient.handle": 44,
        "lines of PushClient.PushClient.place": 49,
        "variables of FCM.AccessTokenSource": 15,
        "variables of GatewayAPI.ReportHandler": 22,
        "variables of GatewayAPI.ReportService": 16,
        "variables of GatewayStore.GatewayStore": 39,
        "variables of LoadTest.LoadRun": 18,
        "variables of MockKit.MockRequest": 20,
        "variables of MockKit.MockServer": 22,
        "variables of MockKit.ServerConnection": 18,
        "variables of PushClient.PushClient": 40,
        "variables of PushClient.PushConnection": 15,
        "variables of Reactor.LogWriter": 18,
        "variables of RedisClient.ClusterRouter": 25,
        "variables of RedisClient.RedisConnection": 20,
        "variables of RedisClient.RedisNode": 29,
        "variables of TLS.TLSConnection": 16,
        "variables of Webhooks.WebhookDispatcher": 14,
    ]

    private static func isMeasured(_ file: SourceFile) -> Bool {
        guard let layer = file.target.layer, layer != "Core", layer != "Clients" else { return false }
        return !file.text.hasPrefix("// Written by")
    }

    @Test("No class has more than 12 variables, no function more than 40 lines, no type more than 600")
    func sizes() throws {
        let files = try SourceFile.all(of: Manifest.package.get()).filter(Self.isMeasured)
        #expect(files.count > 500)
        var sizes: [String: SourceSizes] = [:]
        for file in files { sizes[file.target.name, default: SourceSizes()].add(file.text) }
        var excess: [String: Int] = [:]
        for (target, sizes) in sizes {
            func note(_ figures: [String: Int], _ what: String, most: Int) {
                for (name, figure) in figures where figure > most { excess["\(what) of \(target).\(name)"] = figure }
            }
            note(sizes.variables, "variables", most: Self.most.variables)
            note(sizes.functions, "lines", most: Self.most.function)
            note(sizes.types, "lines", most: Self.most.type)
        }
        for (name, figure) in excess.sorted(by: { $0.key < $1.key }) where figure > Self.exceptions[name] ?? 0 {
            Issue.record("\(name): \(figure). Take a part with one concern out of it")
        }
        for (name, bound) in Self.exceptions where excess[name] ?? 0 < bound {
            Issue.record("\(name): \(excess[name].map(String.init) ?? "it complies"). Correct the list of exceptions")
        }
    }

    @Test("Variables, functions and types are measured wherever they stand")
    func measuring() {
        var sizes = SourceSizes()
        sizes.add(
            """
            @available(*, deprecated) public final class A {
                private(set) weak var a: B?
                let b = 1, c = { 1 }
                var d: Int { 1 }
                var e: Int {
                    1
                }
                var f: Int {
                    didSet { g() }
                }
                static let h = 1
                @discardableResult init(
                    _ i: Int
                ) {
                    let i = 1
                }
                final class J {
                    let k: (Int) -> Void
                    func l() { }
                }
            }

            extension B {}

            """)
        sizes.add("extension A.J {\n    mutating func m() {\n        1\n    }\n    struct B {\n    }\n}\n")
        #expect(sizes.types == ["A": 21, "B": 1, "A.J": 7])
        #expect(sizes.functions == ["A.init": 5, "A.J.m": 3])
        #expect(sizes.variables == ["A": 3, "J": 1])
    }
}

/// The sizes of types and functions, by the lines and the indentation that swift-format writes.
private struct SourceSizes {
    /// The lines of each type that is no other's, with its extensions.
    var types: [String: Int] = [:]
    /// The lines of each function with a body on lines of its own, by the outer type and its name. Of several functions
    /// of a name, the longest counts.
    var functions: [String: Int] = [:]
    /// The stored variables of each class.
    var variables: [String: Int] = [:]

    private struct Line {
        let indentation: Int
        let text: Substring

        init(_ line: Substring) {
            text = line.drop { $0 == " " }
            indentation = line.utf8.count - text.utf8.count
        }

        private static let modifiers: Set<Substring> = [
            "public", "package", "internal", "private", "fileprivate", "open", "final", "static", "override", "weak",
            "unowned", "lazy", "mutating", "nonmutating", "nonisolated", "indirect", "convenience", "required",
            "consuming", "borrowing", "distributed", "isolated",
        ]

        /// The keyword of a declaration and what follows it; nil if the line begins none.
        func declaration(_ keywords: Set<Substring>) -> (keyword: Substring, rest: Substring)? {
            var rest = text
            while true {
                let word = rest.prefix { $0.isLetter || $0 == "_" || $0 == "@" }
                rest = rest.dropFirst(word.count)
                if keywords.contains(word) { return (word, rest.drop { $0 == " " }) }
                guard word.first == "@" || Self.modifiers.contains(word) else { return nil }
                if rest.first == "(" { rest = rest.drop { $0 != ")" }.dropFirst() }
                rest = rest.drop { $0 == " " }
            }
        }

        func closes(_ line: Line) -> Bool { indentation == line.indentation && text.first == "}" }
    }

    mutating func add(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(Line.init)
        var outer: Substring = ""
        for (number, line) in lines.enumerated() where !line.text.isEmpty {
            if let (keyword, rest) = line.declaration(["class", "struct", "enum", "actor", "extension", "protocol"]) {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                let end = line.text.hasSuffix("}") ? number : lines[number...].firstIndex { $0.closes(line) } ?? number
                if line.indentation == 0 {
                    outer = name
                    types[String(name), default: 0] += end - number + 1
                }
                if keyword == "class" || keyword == "actor", !name.isEmpty {
                    variables[String(name), default: 0] += Self.variables(lines[number...end])
                }
            } else if let (keyword, rest) = line.declaration(["func", "init", "deinit", "subscript"]) {
                let name = keyword == "func" ? rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" } : keyword
                guard let end = Self.end(of: lines[number...]) else { continue }
                let key = line.indentation == 0 ? String(name) : "\(outer).\(name)"
                functions[key] = max(functions[key] ?? 0, end - number + 1)
            }
        }
    }

    /// Returns the last line of the function that begins with the lines; nil if its body is not on lines of its own.
    private static func end(of lines: ArraySlice<Line>) -> Int? {
        guard let first = lines.first else { return nil }
        let end = lines.dropFirst().firstIndex {
            $0.indentation <= first.indentation && !$0.text.isEmpty && $0.text.first != ")" && $0.text.first != "]"
        }
        guard let end, lines[end].closes(first) else { return nil }
        return end
    }

    /// Counts the stored variables of a class with these lines.
    private static func variables(_ lines: ArraySlice<Line>) -> Int {
        guard let first = lines.first else { return 0 }
        return lines.indices.count { number in
            let line = lines[number]
            guard line.indentation == first.indentation + 4, line.declaration(["var", "let"]) != nil,
                !line.text.prefix(while: { $0 != ":" && $0 != "=" }).contains("static ")
            else { return false }
            guard let brace = line.text.firstIndex(of: "{"), !line.text[..<brace].contains("=") else { return true }
            return number + 1 < lines.endIndex
                && ["didSet", "willSet"].contains { lines[number + 1].text.hasPrefix($0) }
        }
    }
}
