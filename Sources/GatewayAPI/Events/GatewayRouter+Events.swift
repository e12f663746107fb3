import GatewayStore
import Hummingbird
import LiveActivity

extension GatewayRouter {
    /// The routes of events and webhooks, for customers.
    func addEventRoutes(to router: Router<GatewayContext>) {
        let customers = router.group("api/v1")
        customers.get("events") { request, _ in
            try await self.answerReading(request) { tenantID in
                let query = try EventQuery(request.uri.queryParameters)
                return try await self.eventAPI.events(query, tenantID: tenantID).response
            }
        }
        customers.get("events/settings") { request, _ in
            try await self.answerReading(request) { try await self.eventAPI.eventSettings(tenantID: $0).response }
        }
        customers.put("events/settings") { request, context in
            try await self.answerChange(request, context) { tenantID, body in
                try await self.eventAPI.changeSettings(body, tenantID: tenantID)
            }
        }
    }

    /// A change that a customer asks for with a body.
    func answerChange(
        _ request: Request, _ context: GatewayContext,
        _ answer: @escaping @Sendable (_ tenantID: String, _ body: JSONValue) async throws -> Reply
    ) async throws -> Response {
        try await answerReading(request) { tenantID in
            try checkRunning()
            let document = try await reader.read(request, context)
            return try await answer(tenantID, document.root).response
        }
    }
}
