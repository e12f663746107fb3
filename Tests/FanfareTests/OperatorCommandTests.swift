import Foundation
import Testing

@Suite("fanfare operator", .serialized)
struct OperatorCommandTests {
    @Test(
        "An operator is made, listed and removed by the command line, and opens the console of a running gateway meanwhile"
    )
    func wholeLife() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, given) = try await commands.startMock()
        defer { mock.terminate() }
        let audit = commands.folder.appending(path: "audit.ndjson")
        let environment = given.merging(["FANFARE_AUDIT_FILE": audit.path, "FANFARE_CONSOLE_PORT": "0"]) { $1 }
        let (serve, _, _) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        try #require(try await serve.said("console listening"))
        let log = try String(contentsOf: serve.errors, encoding: .utf8)
        let console = try #require(log.firstMatch(of: /http:\/\/127\.0\.0\.1:[1-9][0-9]*\/console\//)).0
        func signIn(_ key: String) throws -> String {
            try Program.run(
                "/usr/bin/env", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                "Content-Type: application/json", "-d", #"{"key":"\#(key)"}"#, "\(console)session"
            ).output
        }

        #expect(
            try await commands.run("operator", "list", environment: environment).errors.contains(
                "No operators yet"))
        let made = try await commands.run("operator", "create", "ada", "--json", environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: String])
        let key = try #require(object["operator_key"])
        #expect(Set(object.keys) == ["name", "operator_key"] && object["name"] == "ada")
        #expect(try signIn(key) == "200")

        let twice = try await commands.run("operator", "create", "ada", environment: environment)
        #expect(twice.status == 1 && twice.errors.contains("fanfare operator remove ada"), "\(twice.errors)")
        let odd = try await commands.run("operator", "create", "a b", environment: environment)
        #expect(odd.status == 64 && odd.errors.contains("letters, digits"), "\(odd.errors)")
        let list = try await commands.run("operator", "list", environment: environment)
        #expect(list.output.hasPrefix("ada  since 20") && !list.output.contains(key), "\(list.output)")
        let machine = try await commands.run("operator", "list", "--json", environment: environment)
        #expect(machine.output.hasPrefix(#"[{"name":"ada","sha256":""#), "\(machine.output)")

        #expect(try await commands.run("operator", "remove", "ada", environment: environment).status == 0)
        #expect(try signIn(key) == "401")
        let none = try await commands.run("operator", "remove", "ada", environment: environment)
        #expect(none.status == 1 && none.errors.contains("fanfare operator list"), "\(none.errors)")
        let written = try String(contentsOf: audit, encoding: .utf8)
        for action in ["operator create", "operator remove", "POST /console/session"] {
            #expect(written.contains(#""action":"\#(action)""#), "\(written)")
        }
        #expect(!written.contains(key))
    }
}
