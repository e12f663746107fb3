import Gateway
import GatewayStore
import LiveActivity
import TestStore
import Testing

@Suite("The console's page", .serialized)
struct ConsolePageTests {
    @Test("The page and its files come with what keeps them the gateway's own, and are not sent twice")
    func files() async throws {
        try await TestStage.runWithConsole { stage in
            let nobody = try ConsoleVisitor(stage)
            let page = try await nobody.ask("GET", "/console/")
            #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"))
            #expect(
                page.headers["x-content-type-options"] == "nosniff" && page.headers["referrer-policy"] == "no-referrer")
            let again = try await nobody.ask(
                "GET", "/console/", headers: ["If-None-Match": try #require(page.headers["etag"])])
            #expect(again.status == 304 && again.bytes.isEmpty)
            #expect(try await nobody.ask("HEAD", "/console/").bytes.isEmpty)
            for asset in ["main.js", "console.css", "chart.js"] where page.text.contains(asset) || asset == "chart.js" {
                let file = try await nobody.ask("GET", "/console/assets/\(asset)")
                #expect(file.status == 200 && !file.bytes.isEmpty, "\(asset)")
            }
            for asset in ["none.js", "", "../index.html", "%2e%2e/index.html", "a/b"] {
                #expect(try await nobody.ask("GET", "/console/assets/\(asset)").status == 404)
            }
            #expect(try await nobody.ask("POST", "/console/", "{}").code == "METHOD_NOT_ALLOWED")
            // Caches must not store data of a session.
            #expect(try await nobody.ask("GET", "/console/session").headers["cache-control"] == "no-store")
        }
    }

    @Test(
        "On an address of the network the console speaks TLS where the gateway has a certificate, and its cookie says so"
    )
    func encrypted() async throws {
        try await TestStage.runWithConsole(configure: {
            $0.tls = TestTLS.listener
            $0.console.host = "0.0.0.0"
        }) { stage in
            var visitor = try ConsoleVisitor(stage)
            let given = try await visitor.signIn(stage.tenant.apiKey)
            #expect(given.status == 200 && given.headers["set-cookie"]?.hasSuffix("; Secure") == true, "\(given.text)")
            #expect(try await visitor.api("GET", stage.tenant.tenantID, "limits").status == 200)
        }
    }

    @Test("On a loopback address the console answers to this machine's own names and to no other")
    func names() async throws {
        try await TestStage.runWithConsole { stage in
            let own = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            let session = "/console/session"
            for host in [
                "localhost", "LocalHost:\(own.port)", "127.0.0.1:9000", "127.9.8.7", "[::1]:\(own.port)", "[::1]",
            ] {
                #expect(try await own.ask("GET", "/console/", headers: ["Host": host]).status == 200, "\(host)")
            }
            for host in [
                "rebound.example", "rebound.example:\(own.port)", "localhost.rebound.example",
                "127.0.0.1.rebound.example", "10.0.0.1", "[::2]", "0.0.0.0", "127.0.0.1:x",
            ] {
                for path in ["/console/", session, "/console/tenants/\(stage.tenant.tenantID)/api/v1/limits"] {
                    let answer = try await own.ask("GET", path, headers: ["Host": host])
                    #expect(answer.status == 421, "\(host) \(path)")
                    #expect(answer.headers["content-security-policy"] != nil && answer.text.contains("console.host"))
                }
                #expect(try await own.ask("POST", session, #"{"key":"x"}"#, headers: ["Host": host]).status == 421)
            }
        }
    }

    @Test("On an address of the network the console answers to every name")
    func namesOfTheNetwork() async throws {
        try await TestStage.runWithConsole(configure: { $0.console.host = "0.0.0.0" }) { stage in
            let own = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            #expect(try await own.ask("GET", "/console/", headers: ["Host": "gateway.example"]).status == 200)
        }
    }
}
