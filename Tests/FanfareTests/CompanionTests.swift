import Foundation
import Testing

/// Covers every command in the executable's own description, so that none is forgotten.
@Suite("Help, completions and manual page")
struct CompanionTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts").standardizedFileURL

    @Test("Every command says in a sentence what it does and shows examples; every option has its help")
    func help() async throws {
        let tree = try await CommandTree.read()
        #expect(tree.commands.count >= 15)
        for command in tree.commands {
            let name = command.path.joined(separator: " ")
            #expect(command.abstract.hasSuffix("."), "\(name)")
            let examples = command.discussion.components(separatedBy: "EXAMPLES:\n")
            #expect(examples.count == 2, "\(name) has no examples")
            let lines = examples.last?.split(separator: "\n") ?? []
            #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("fanfare ") }, "\(name)")
            for option in command.options where option.name != "--version" && option.name != "--help" {
                #expect(!option.help.isEmpty, "\(name) \(option.name ?? "argument")")
            }
        }
    }

    @Test("The manual page names every command and option, and renders without a warning")
    func manual() async throws {
        let script = Self.scripts.appending(path: "manual.py").path
        let page = try Program.run("/usr/bin/env", "python3", script, CommandLine.executable.path)
        #expect(page.status == 0, "\(page.errors)")
        let plain = page.output.replacingOccurrences(of: "\\-", with: "-")
        for command in try await CommandTree.read().commands {
            let name = command.path.joined(separator: " ")
            #expect(plain.contains(command.path.count > 1 ? ".SS \(name)\n" : ".TH FANFARE 1"), "\(name)")
            let section = plain.components(separatedBy: ".SS \(name)\n").last?.components(separatedBy: "\n.SS ").first
            for option in command.options {
                guard let option = option.name, option != "--version", option != "--help" else { continue }
                #expect(section?.contains("\(option)") == true, "\(name) \(option)")
            }
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        let file = "/tmp/fanfare-manual-\(UInt64.random(in: 0 ... .max)).1"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try page.output.write(toFile: file, atomically: true, encoding: .utf8)
        let rendered = try Program.run("/usr/bin/groff", "-man", "-ww", "-Tutf8", "-P-cbu", file)
        #expect(rendered.status == 0 && rendered.errors.isEmpty, "\(rendered.errors)")
        #expect(rendered.output.contains("EXIT STATUS") && rendered.output.contains("fanfare tenant rotate-key"))
    }

    @Test("Completions for each shell name every command and option", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let script = try await commands.run("--generate-completion-script", shell)
        #expect(script.status == 0, "\(script.errors)")
        for command in try await CommandTree.read().commands {
            #expect(script.output.contains(command.path.last ?? ""), "\(command.path)")
            for option in command.options.compactMap(\.name) {
                // fish lists options without dashes.
                #expect(script.output.contains(option.drop { $0 == "-" }), "\(command.path) \(option)")
            }
        }
    }

    @Test(
        "bash completes commands, options, their values, and files where a file is meant",
        arguments: [
            ("fanfare te", "tenant"), ("fanfare tenant rota", "rotate-key"),
            ("fanfare tenant rotate-key x --ov", "--overlap"),
            ("fanfare tenant rotate-key x --kind i", "identity"), ("fanfare tenant set-tier x ent", "enterprise"),
            ("fanfare serve --config here", "here.yaml"), ("fanfare devices import pho", "phones.ndjson"),
            ("fanfare mock-apns --out-dir fol", "folder"), ("fanfare mock-apns --script her", "here.json"),
        ])
    func bash(line: String, expected: String) async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        for name in ["here.yaml", "here.json", "phones.ndjson"] {
            try Data().write(to: commands.folder.appending(path: name))
        }
        try FileManager.default.createDirectory(
            at: commands.folder.appending(path: "folder"), withIntermediateDirectories: true)
        let script = try await commands.run("--generate-completion-script", "bash").output
        let file = commands.folder.appending(path: "completion.bash")
        try script.write(to: file, atomically: true, encoding: .utf8)
        let ask = """
            source completion.bash
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}
            _fanfare fanfare "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let answer = try Program.run("/bin/bash", "--norc", "-c", ask, in: commands.folder)
        #expect(
            answer.output.split(separator: "\n").map(String.init) == [expected], "\(answer.output) \(answer.errors)")
    }

    @Test("What belongs beside the executable is written where shells and man look for it")
    func share() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let script = Self.scripts.appending(path: "share.sh").path
        let written = try Program.run("/bin/sh", script, CommandLine.executable.path, "share", in: commands.folder)
        #expect(written.status == 0, "\(written.errors)")
        for (path, text) in [
            ("bash-completion/completions/fanfare", "complete "), ("zsh/site-functions/_fanfare", "#compdef fanfare"),
            ("fish/vendor_completions.d/fanfare.fish", "complete -c 'fanfare'"),
            ("man/man1/fanfare.1", ".TH FANFARE 1"),
            ("doc/fanfare/fanfare.yaml", "#port: 8080"),
        ] {
            let content = try String(contentsOf: commands.folder.appending(path: "share/\(path)"), encoding: .utf8)
            #expect(content.contains(text), "\(path)")
        }
    }
}
