import Foundation
import Testing

/// Errors that people read: the problem, and the next step.
@Suite("Errors of commands", .serialized)
struct CommandErrorTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        var environment: [String: String] = [:]
        var status: Int32 = 1
        /// All of them are in what is said on standard error.
        let words: [String]

        var testDescription: String { (arguments + environment.map { "\($0)=\($1)" }).joined(separator: " ") }
    }

    @Test(
        "Every mistake is named, with what to do about it, and nothing of Swift's or Foundation's own",
        arguments: [
            Case(arguments: ["frobnicate"], status: 64, words: ["Unexpected argument 'frobnicate'", "--help"]),
            Case(arguments: ["tenant", "create"], status: 64, words: ["Missing expected argument '<name>'"]),
            Case(arguments: ["tenant", "create", " "], status: 64, words: ["name", "white space"]),
            Case(arguments: ["tenant", "create", "a", "--tier", "gold"], status: 64, words: ["gold", "growth"]),
            Case(arguments: ["tenant", "show", "nobody"], words: ["data has no store", "fanfare tenant create"]),
            Case(
                arguments: ["tenant", "disable", "nobody"],
                words: ["the tenant nobody does not exist", "fanfare tenant list"]),
            Case(
                arguments: ["tenant", "set-tier", "nobody", "growth"],
                words: ["the tenant nobody does not exist", "fanfare tenant list"]),
            Case(
                arguments: ["tenant", "rotate-key", "nobody"],
                words: ["the tenant nobody does not exist", "fanfare tenant list"]),
            Case(arguments: ["tenant", "rotate-key", "x", "--kind", "y"], status: 64, words: ["'y'", "identity"]),
            Case(arguments: ["tenant", "rotate-key", "x", "--overlap", "soon"], status: 64, words: ["soon", "24h"]),
            Case(
                arguments: ["tenant", "rotate-key", "x", "--overlap", "24"], status: 64,
                words: ["24h", "with the unit"]),
            Case(
                arguments: ["tenant", "rotate-key", "x", "--overlap", "8761h"], status: 64, words: ["8761h", "8760h"]),
            Case(
                arguments: ["tenant", "list"], environment: ["FANFARE_REDIS_URL": "redis://127.0.0.1:1"],
                words: ["Connection refused", "redis://127.0.0.1:1", "Start Redis", "FANFARE_REDIS_URL"]),
            Case(
                arguments: ["tenant", "list"], environment: ["FANFARE_REDIS_URL": "http://localhost"],
                words: ["redis.url", "redis://[user:password@]host", "check-config"]),
            Case(
                arguments: ["tenant", "disable", "a"], environment: ["FANFARE_REDIS_DATA_DIR": "/proc/none"],
                words: ["/proc/none", "No such file or directory", "FANFARE_REDIS_DATA_DIR"]),
            Case(
                arguments: ["tenant", "disable", "a"], environment: ["FANFARE_REDIS_SERVER_PATH": "/no/redis-server"],
                words: ["/no/redis-server", "Install redis-server", "redis.server_path"]),
            Case(
                arguments: ["devices", "import", "none", "--tenant", "x"], words: ["none", "No such file or directory"]),
            Case(arguments: ["devices", "import", ".", "--tenant", "x"], words: [".", "is a directory"]),
            Case(arguments: ["devices", "import", "x"], status: 64, words: ["--tenant"]),
            Case(arguments: ["serve", "--config", "none.yaml"], words: ["file none.yaml does not exist", "--config"]),
            Case(
                arguments: ["tenant", "list", "--config", "/dev/null"], environment: ["FANFARE_HTTP_PORT": "x"],
                words: ["http.port", "fanfare check-config --show --config /dev/null"]),
            Case(arguments: ["mock-apns", "--port", "0", "--out-dir", "/proc/none"], words: ["/proc/none"]),
            Case(
                arguments: ["mock-apns", "--port", "0", "--out-dir", "a", "--script", "none"],
                words: ["none", "No such file or directory"]),
            Case(
                arguments: ["mock-apns", "--port", "70000", "--out-dir", "a"], status: 64, words: ["70000", "--port"]),
        ])
    func mistakes(_ mistake: Case) async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.start(mistake.arguments, environment: mistake.environment).ended()
        #expect(result.status == mistake.status, "\(result.errors)")
        for word in mistake.words { #expect(result.errors.contains(word), "\(result.errors)") }
        for word in ["Error Domain", "NSCocoa", "Optional(", "descriptor:ptr"] {
            #expect(!result.errors.contains(word), "\(result.errors)")
        }
        #expect(result.output.isEmpty)
    }

    @Test("A port that is taken, and an address that this machine has not, are told with the key to change")
    func listening() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let port = try #require(environment["FANFARE_APNS_URL"]?.split(separator: ":").last.map(String.init))
        let other = try await commands.run("mock-apns", "--port", port, "--out-dir", "other")
        #expect(other.status == 1 && other.errors.contains("choose another --port"), "\(other.errors)")
        // Its own Redis is not kept running by a gateway that could not start.
        environment["FANFARE_HTTP_PORT"] = port
        let taken = try await commands.run("serve", environment: environment)
        #expect(taken.status == 1, "\(taken.errors)")
        #expect(taken.errors.contains("another process listens on 127.0.0.1:\(port)"), "\(taken.errors)")
        #expect(taken.errors.contains("FANFARE_HTTP_PORT") && !taken.errors.contains("descriptor:ptr"))
        environment["FANFARE_HTTP_HOST"] = "192.0.2.1"
        let away = try await commands.run("serve", environment: environment)
        #expect(away.status == 1 && away.errors.contains("does not have the address 192.0.2.1"), "\(away.errors)")
        let checked = try await commands.run("check-config", environment: environment)
        #expect(checked.status == 1 && checked.output.contains("http.host"), "\(checked.output)")
        #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "data/redis.sock").path))
        mock.process.terminate()
        _ = try await mock.ended()
    }

    @Test("Warnings that do not concern a command are left out, and those that do come once")
    func warnings() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        // The first command makes the store, and says that.
        let first = try await commands.run(
            "tenant", "disable", "nobody", environment: ["FANFARE_AUDIT_FILE": "audit.ndjson"])
        #expect(first.errors.hasPrefix("note: ") && first.errors.split(separator: "\n").count == 2, "\(first.errors)")
        let list = try await commands.run("tenant", "list")
        #expect(list.errors.isEmpty, "\(list.errors)")
        let misspelt = try await commands.run("tenant", "list", environment: ["FANFARE_REDIS_ULR": "x"])
        #expect(misspelt.status == 0)
        #expect(misspelt.errors.components(separatedBy: "FANFARE_REDIS_ULR").count - 1 >= 1, "\(misspelt.errors)")
        let wrong = try await commands.run(
            "serve", environment: ["FANFARE_HTTP_PORT": "x", "FANFARE_REDIS_SERVER_PATH": "/no/redis-server"])
        #expect(wrong.status == 1)
        #expect(wrong.errors.components(separatedBy: "The executable").count == 2, "\(wrong.errors)")
    }
}
