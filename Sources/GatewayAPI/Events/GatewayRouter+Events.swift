import GatewayStore
import Hummingbird
import LiveActivity

extension GatewayRouter {
    /// The routes of events and webhooks, for customers.
    func addEventRoutes(to router: Router<GatewayContext>) {
        let customers = router.group("api/v1")
        customers.get("events") { request, context in
            try await self.answerReading(request, context) { tenantID in
                let query = try EventQuery(request.uri.queryParameters)
                return try await self.eventAPI.events(query, tenantID: tenantID).response
            }
        }
        customers.get("events/settings") { request, context in
            try await self.answerReading(request, context) {
                try await self.eventAPI.eventSettings(tenantID: $0).response
            }
        }
        customers.put("events/settings") { request, context in
            try await self.answerChange(request, context) { tenantID, body in
                try await self.eventAPI.changeSettings(body, tenantID: tenantID)
            }
        }
        addWebhookRoutes(to: router.group("api/v1/webhooks"))
    }

    private func addWebhookRoutes(to webhooks: RouterGroup<GatewayContext>) {
        let api = webhookAPI
        webhooks.post("") { request, context in
            try await self.answerChange(request, context) { try await api.create($1, tenantID: $0) }
        }
        webhooks.get("") { request, context in
            try await self.answerReading(request, context) { try await api.list(tenantID: $0).response }
        }
        webhooks.get(":webhook_id") { request, context in
            try await self.answerReading(request, context) {
                try await api.show(context.webhookID, tenantID: $0).response
            }
        }
        webhooks.patch(":webhook_id") { request, context in
            try await self.answerChange(request, context) {
                try await api.change(context.webhookID, $1, tenantID: $0)
            }
        }
        webhooks.delete(":webhook_id") { request, context in
            try await self.answerReading(request, context) { tenantID in
                try checkRunning()
                return try await api.delete(context.webhookID, tenantID: tenantID).response
            }
        }
        webhooks.post(":webhook_id/rotate-secret") { request, context in
            try await self.answerReading(request, context) { tenantID in
                try checkRunning()
                return try await api.rotateSecret(context.webhookID, tenantID: tenantID).response
            }
        }
        webhooks.post(":webhook_id/test") { request, context in
            try await self.answerReading(request, context) { tenantID in
                try checkRunning()
                return try await api.test(context.webhookID, tenantID: tenantID).response
            }
        }
        webhooks.get(":webhook_id/dead-letters") { request, context in
            try await self.answerReading(request, context) { tenantID in
                let query = try DeadLetterQuery(
                    limit: request.uri.queryParameters.get("limit"), cursor: request.uri.queryParameters.get("cursor"))
                return try await api.deadLetters(context.webhookID, query, tenantID: tenantID).response
            }
        }
        webhooks.post(":webhook_id/dead-letters/resend") { request, context in
            try await self.answerChange(request, context) {
                try await api.resend(context.webhookID, $1, tenantID: $0)
            }
        }
    }

    /// A change that a customer asks for with a body.
    func answerChange(
        _ request: Request, _ context: GatewayContext,
        _ answer: @escaping @Sendable (_ tenantID: String, _ body: JSONValue) async throws -> Reply
    ) async throws -> Response {
        try await answerReading(request, context) { tenantID in
            try checkRunning()
            let document = try await reader.read(request, context)
            return try await answer(tenantID, document.root).response
        }
    }
}

extension GatewayContext {
    fileprivate var webhookID: String? { parameters.get("webhook_id") }
}
