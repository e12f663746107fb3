import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Testing
import TimeCore

@Suite("Who is signed in at the console", .serialized)
struct ConsoleSessionTests {
    @Test("A tenant's key opens that tenant and no other, an operator's key all, and any other none")
    func keys() async throws {
        try await TestStage.runWithConsole { stage in
            let own = stage.tenant.tenantID
            let other = try await stage.setup.store.tenants.createTenant(name: "other", tier: .growth)
            let nobody = try ConsoleVisitor(stage)
            for path in ["session", "operator/tenants", "tenants/\(own)/api/v1/limits"] {
                #expect(try await nobody.ask("GET", "/console/\(path)").code == "UNAUTHORIZED")
            }
            var stranger = nobody
            for key in ["", "x", stage.tenant.sdkKey, stage.identitySecret, "ffo_0"] {
                let answer = try await stranger.signIn(key)
                #expect(answer.status == (key.isEmpty ? 400 : 401) && answer.headers["set-cookie"] == nil)
            }

            let customer = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            let session = try await customer.ask("GET", "/console/session")
            #expect(session["role"]?.string == "tenant" && session["tenant_id"]?.string == own)
            // Only the sign-in returns the token.
            #expect(session["name"]?.string == "test" && session["token"] == nil)
            #expect(try await customer.api("GET", own, "limits").status == 200)
            for path in ["tenants/\(other.tenantID)/api/v1/limits", "operator/tenants", "operator/metrics"] {
                #expect(try await customer.ask("GET", "/console/\(path)").code == "NOT_FOUND", "\(path)")
            }

            let ada = try await ConsoleVisitor.signedIn(stage, try await stage.makeOperator("ada"))
            #expect(try await ada.ask("GET", "/console/session")["role"]?.string == "operator")
            for tenant in [own, other.tenantID] { #expect(try await ada.api("GET", tenant, "limits").status == 200) }
            #expect(try await ada.api("GET", "none", "limits").code == "NOT_FOUND")
        }
    }

    @Test("What a browser is given is out of scripts' reach, and goes to no other site")
    func cookie() async throws {
        try await TestStage.runWithConsole { stage in
            var visitor = try ConsoleVisitor(stage)
            let plain = try await visitor.signIn(stage.tenant.apiKey).headers["set-cookie"] ?? ""
            for part in ["; Path=/console", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200"] {
                #expect(plain.contains(part), "\(plain)")
            }
            #expect(!plain.contains("Secure"))
            // Consoles at other ports of this machine use other cookies.
            #expect(plain.hasPrefix("fanfare_console_\(visitor.port)=ffc_"), "\(plain)")
            let behindTLS = try await visitor.signIn(stage.tenant.apiKey, headers: ["X-Forwarded-Proto": "https"])
            #expect(behindTLS.headers["set-cookie"]?.hasSuffix("; Secure") == true)
            // A page of another site cannot sign a browser in.
            let foreign = try await visitor.signIn(stage.tenant.apiKey, headers: ["Sec-Fetch-Site": "cross-site"])
            #expect(foreign.code == "UNAUTHORIZED" && foreign.headers["set-cookie"] == nil)
            let more = try await visitor.ask(
                "POST", "/console/session", #"{"key":"\#(stage.tenant.apiKey)","operator":"x"}"#)
            #expect(more.code == "VALIDATION_FAILED" && more.headers["set-cookie"] == nil, "\(more.text)")
        }
    }

    @Test(
        "Cookie and token count together alone; the browser's own keys, and cookies of other ports, count for nothing")
    func together() async throws {
        try await TestStage.runWithConsole { stage in
            let own = stage.tenant.tenantID
            var visitor = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            #expect(try await visitor.api("PUT", own, "segments/vip", "a\n", type: "text/csv").status == 200)
            let (cookie, token) = (visitor.cookie, visitor.token)
            let another = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            for wrong in ["", "x", another.token, token.uppercased(), String(cookie.drop { $0 != "=" }.dropFirst())] {
                visitor.token = wrong
                let refused = try await visitor.api("DELETE", own, "segments/vip")
                #expect(refused.code == "UNAUTHORIZED", "\(refused.text)")
                #expect(try await visitor.api("GET", own, "segments").code == "UNAUTHORIZED")
                #expect(try await visitor.ask("DELETE", "/console/session").code == "UNAUTHORIZED")
            }
            #expect(try await stage.users("vip") == 1)
            visitor.token = token
            visitor.cookie = another.cookie
            #expect(try await visitor.api("GET", own, "segments").code == "UNAUTHORIZED")
            // Another program of this machine has set cookies of the same name.
            let name = cookie.prefix { $0 != "=" }
            for strange in ["\(name)=x", another.cookie, "\(name)=\(String(repeating: "x", count: 5000))"] {
                visitor.cookie = "\(strange); \(cookie)"
                #expect(try await visitor.api("GET", own, "segments").status == 200, "\(strange.prefix(40))")
            }
            let other = try await stage.setup.store.tenants.createTenant(name: "other", tier: .growth)
            let segments = try await visitor.api("GET", own, "segments", headers: ["X-Api-Key": other.apiKey])
            #expect(segments["segments"]?.elementCount == 1, "\(segments.text)")
        }
    }

    @Test("Who signs in again has one session; sign-ins count against the key's rate, and their bodies are short")
    func signIns() async throws {
        try await TestStage.runWithConsole(configure: { $0.api.requestsPerMinute = 4 }) { stage in
            let own = stage.tenant.tenantID
            var visitor = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            let former = visitor
            #expect(try await visitor.signIn(stage.tenant.apiKey).status == 200)
            #expect(try await former.api("GET", own, "limits").code == "UNAUTHORIZED")
            #expect(try await visitor.api("GET", own, "limits").status == 200)
            #expect(try await visitor.signIn(stage.tenant.apiKey).status == 200)
            #expect(try await visitor.signIn(stage.tenant.apiKey).code == "RATE_LIMITED")
            let long = try await visitor.signIn(String(repeating: "x", count: 5000))
            #expect(long.code == "REQUEST_TOO_LARGE", "\(long.text)")
        }
    }

    @Test(
        "A session ends when it is signed out, when its key is revoked and when its operator is removed, at every gateway"
    )
    func ends() async throws {
        try await TestStage.runWithConsole(gateways: 2) { stage in
            let own = stage.tenant.tenantID
            let one = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            let there = try one.at(gateway: 1)
            #expect(try await there.api("GET", own, "limits").status == 200)
            #expect(
                try await there.ask("DELETE", "/console/session").headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await one.api("GET", own, "limits").code == "UNAUTHORIZED")

            let two = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            _ = try await stage.setup.store.tenants.rotate(.api, of: own, overlap: .zero)
            #expect(try await two.api("GET", own, "limits").code == "UNAUTHORIZED")
            #expect(try await two.ask("GET", "/console/session").code == "UNAUTHORIZED")

            let ada = try await ConsoleVisitor.signedIn(stage, try await stage.makeOperator("ada"))
            #expect(try await ada.api("GET", own, "limits").status == 200)
            #expect(try await stage.setup.store.operators.remove("ada"))
            #expect(try await ada.api("GET", own, "limits").code == "UNAUTHORIZED")
            // A new operator of the same name does not revive old sessions.
            _ = try await stage.makeOperator("ada")
            #expect(try await ada.ask("GET", "/console/operator/health").code == "UNAUTHORIZED")
        }
    }
}
