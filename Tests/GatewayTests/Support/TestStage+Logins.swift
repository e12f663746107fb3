import GatewayStore
import LiveActivity
import MockAPNs
import Testing

extension TestStage {
    /// The token of the phone that changes its login.
    static let sharedToken = startToken(77)

    /// The phone reports itself and `sharedToken` for a login.
    func logIn(_ number: Int, gateway: Int = 0) async throws {
        let names = Self.key(number).fields
        let device = """
            {\(names),"platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,
             "environment":"production"}
            """
        let token = #"{\#(names),"token":"\#(Self.hex(Self.sharedToken))"}"#
        let headers = ["X-Sdk-Key": tenant.sdkKey, "Content-Type": "application/json"]
        for (route, body) in [("device", device), ("push-to-start-token", token)] {
            let answer = try await send("PUT", "/api/v1/sdk/\(route)", body, headers: headers, gateway: gateway)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    /// The number of starts that the phone was pushed.
    var sharedStarts: Int { pushes(.start).count { $0.token == Self.hex(Self.sharedToken) } }
}
