import HTTPTypes

/// The services that answer the endpoints.
struct EndpointServices: Sendable {
    let customer: CustomerAPI
    let streams: BroadcastEvents
    let events: EventAPI
    let webhooks: WebhookAPI
    let segments: SegmentsAPI
    let topics: TopicsAPI
    let users: UsersAPI
    let devices: SDKAPI
    let limits: LimitsAPI
    let health: HealthAPI
    let documents = DocumentPages()
    /// The reply of `/metrics`; nil if the listener has none.
    let metrics: MetricsReply?
}

// All endpoints of a gateway. A new endpoint needs a row here, its handler, its description in `docs/openapi.yaml` and
// a test.
extension EndpointTable {
    init(_ services: EndpointServices) {
        self.init(
            EndpointTable.activities(services.customer)
                + EndpointTable.reading(services.customer, services.streams)
                + EndpointTable.schedules(services.customer)
                + EndpointTable.events(services.events)
                + EndpointTable.webhooks(services.webhooks)
                + EndpointTable.segments(services.segments)
                + EndpointTable.devices(services.devices)
                + EndpointTable.topics(services.topics, services.devices)
                + EndpointTable.users(services.users)
                + [Endpoint(.get, "/api/v1/limits", .query(services.limits.show))]
                + EndpointTable.gateway(services))
    }

    static func activities(_ api: CustomerAPI) -> [Endpoint] {
        [
            Endpoint(
                .post, "/api/v1/live-activity/register", .command(api.register, joining: api.joined),
                KnownFields(
                    body: ["activity_type", "insider_ids", "segment", "ends_at", "name"],
                    options: [
                        "catch_up", "activity_id_attribute", "min_update_interval", "channel", "channel_storage",
                        "heal", "heal_limit",
                    ]), isBulkChange: true),
            Endpoint(
                .post, "/api/v1/live-activity/add-users",
                .command(api.addUsers, joining: Endpoint.Handler.nothing),
                KnownFields(body: KnownFields.activity + ["insider_ids"]), isBulkChange: true),
            Endpoint(
                .post, "/api/v1/live-activity/remove-users",
                .command(api.removeUsers, joining: Endpoint.Handler.nothing),
                KnownFields(body: KnownFields.activity + ["insider_ids"]), isBulkChange: true),
            Endpoint(
                .post, "/api/v1/live-activity/start", .command(api.start, joining: api.joined),
                KnownFields(
                    body: KnownFields.activity + ["content", "target_devices"], options: KnownFields.pushOptions),
                isBrief: true, foremost: api.secondStart),
            Endpoint(
                .post, "/api/v1/live-activity/restart", .command(api.restart, joining: api.joined),
                KnownFields(
                    body: KnownFields.activity + ["content", "devices", "target_devices", "older_than"],
                    options: ["max_starts"] + KnownFields.pushOptions)),
            Endpoint(
                .post, "/api/v1/live-activity/update", .command(api.update, joining: api.joined), .update,
                isBrief: true),
            Endpoint(
                .post, "/api/v1/live-activity/end", .command(api.end, joining: api.joined),
                KnownFields(
                    body: KnownFields.namedActivity + ["content", "target_devices"],
                    options: ["force"] + KnownFields.pushOptions), isBrief: true),
        ]
    }

    static func reading(_ api: CustomerAPI, _ streams: BroadcastEvents) -> [Endpoint] {
        [
            Endpoint(
                .get, "/api/v1/live-activity", .query(api.activities),
                KnownFields(
                    query: [
                        "state", "activity_type", "opened_by", "external_id", "insider_id", "limit", "cursor",
                    ]), isListing: true),
            Endpoint(.get, "/api/v1/live-activity/{activity_id}", .query(api.activity), isListing: true),
            Endpoint(
                .get, "/api/v1/live-activity/{activity_id}/devices", .query(api.devices),
                KnownFields(query: ["state", "limit", "cursor"]), isListing: true),
            Endpoint(.get, "/api/v1/live-activity/broadcasts/{broadcast_id}", .query(api.broadcast)),
            Endpoint(.get, "/api/v1/live-activity/broadcasts/{broadcast_id}/events", .stream(streams.events)),
        ]
    }

    static func schedules(_ api: CustomerAPI) -> [Endpoint] {
        [
            Endpoint(
                .get, "/api/v1/live-activity/schedule", .query(api.schedules),
                KnownFields(query: KnownFields.namedActivity), isListing: true),
            Endpoint(
                .post, "/api/v1/live-activity/schedule", .command(api.schedule, joining: Endpoint.Handler.nothing),
                KnownFields(
                    body: KnownFields.namedActivity
                        + ["offset", "deliver_at", "event", "content", "target_devices", "name"],
                    options: ["force", "skip_unchanged", "expire_after"] + KnownFields.pushOptions)),
            Endpoint(
                .post, "/api/v1/live-activity/schedule/cancel",
                .command(api.cancelSchedules, joining: Endpoint.Handler.nothing),
                KnownFields(body: KnownFields.namedActivity + ["schedule_id", "target_devices"])),
        ]
    }

    static func events(_ api: EventAPI) -> [Endpoint] {
        [
            Endpoint(
                .get, "/api/v1/events", .query(api.events), KnownFields(query: ["after", "limit", "types"]),
                isListing: true),
            Endpoint(.get, "/api/v1/events/settings", .query(api.settings)),
            Endpoint(
                .put, "/api/v1/events/settings", .command(api.changeSettings), KnownFields(body: ["stream", "audit"])),
        ]
    }

    static func webhooks(_ api: WebhookAPI) -> [Endpoint] {
        [
            Endpoint(.get, "/api/v1/webhooks", .query(api.list), isListing: true),
            Endpoint(
                .post, "/api/v1/webhooks", .command(api.create, joining: api.created),
                KnownFields(body: ["url", "types"])),
            Endpoint(.get, "/api/v1/webhooks/{webhook_id}", .query(api.show)),
            Endpoint(
                .patch, "/api/v1/webhooks/{webhook_id}", .command(api.change),
                KnownFields(body: ["url", "types", "enabled"])),
            Endpoint(.delete, "/api/v1/webhooks/{webhook_id}", .action(api.delete)),
            Endpoint(
                .post, "/api/v1/webhooks/{webhook_id}/rotate-secret",
                .action(api.rotateSecret, joining: api.rotated)),
            Endpoint(.post, "/api/v1/webhooks/{webhook_id}/test", .action(api.test, joining: Endpoint.Handler.nothing)),
            Endpoint(
                .get, "/api/v1/webhooks/{webhook_id}/attempts", .query(api.attempts), KnownFields(query: ["limit"]),
                isListing: true),
            Endpoint(
                .get, "/api/v1/webhooks/{webhook_id}/dead-letters", .query(api.deadLetters), .page, isListing: true),
            Endpoint(
                .post, "/api/v1/webhooks/{webhook_id}/dead-letters/resend",
                .command(api.resend, joining: Endpoint.Handler.nothing), KnownFields(body: ["all", "ids"])),
        ]
    }

    static func segments(_ api: SegmentsAPI) -> [Endpoint] {
        [
            Endpoint(.get, "/api/v1/segments", .query(api.list), .page, isListing: true),
            Endpoint(.get, "/api/v1/segments/{name}", .query(api.count)),
            Endpoint(.put, "/api/v1/segments/{name}", .upload(api.replace)),
            Endpoint(.delete, "/api/v1/segments/{name}", .action(api.delete)),
            Endpoint(.post, "/api/v1/segments/{name}/users", .upload(api.addUsers, isRepeatable: true)),
            Endpoint(.delete, "/api/v1/segments/{name}/users", .upload(api.removeUsers)),
        ]
    }

    static func devices(_ api: SDKAPI) -> [Endpoint] {
        [
            Endpoint(.post, "/api/v1/sdk/sync", .report { body, _ in try .sync(body) }),
            Endpoint(.put, "/api/v1/sdk/device", .report { body, _ in try .device(body) }),
            Endpoint(.put, "/api/v1/sdk/push-to-start-token", .report { body, _ in try .pushToStartToken(body) }),
            Endpoint(.put, "/api/v1/sdk/registration-token", .report { body, _ in try .registrationToken(body) }),
            Endpoint(.post, "/api/v1/sdk/schedule", .device(api.schedule, isRepeatable: true), needsTier: true),
            Endpoint(.post, "/api/v1/sdk/schedule/cancel", .device(api.cancelSchedules, isRepeatable: true)),
            Endpoint(.post, "/api/v1/sdk/dismissed", .device(api.dismissed)),
            Endpoint(.post, "/api/v1/sdk/tap", .device(api.tap)),
        ]
    }

    static func topics(_ api: TopicsAPI, _ devices: SDKAPI) -> [Endpoint] {
        [
            Endpoint(
                .get, "/api/v1/topics", .query(api.list), KnownFields(query: ["state", "limit", "cursor"]),
                isListing: true),
            Endpoint(.get, "/api/v1/topics/{topic}", .query(api.show), isListing: true),
            Endpoint(.put, "/api/v1/topics/{topic}", .command(api.put), .topic),
            Endpoint(.delete, "/api/v1/topics/{topic}", .action(api.delete)),
            Endpoint(
                .get, "/api/v1/topics/{topic}/followers", .query(api.followers), .page, isListing: true),
            Endpoint(.put, "/api/v1/topics/{topic}/followers", .upload(api.replaceFollowers)),
            Endpoint(.post, "/api/v1/topics/{topic}/followers", .upload(api.addFollowers, isRepeatable: true)),
            Endpoint(.delete, "/api/v1/topics/{topic}/followers", .upload(api.removeFollowers)),
            Endpoint(.put, "/api/v1/sdk/topics/{topic}/follow", .report { try .follow(true, $0, $1) }),
            Endpoint(.delete, "/api/v1/sdk/topics/{topic}/follow", .report { try .follow(false, $0, $1) }),
            Endpoint(.get, "/api/v1/sdk/topics", .deviceQuery(devices.topics), isListing: true),
        ]
    }

    static func users(_ api: UsersAPI) -> [Endpoint] {
        [
            Endpoint(.delete, "/api/v1/users/{insider_id}", .action(api.eraseUser)),
            Endpoint(.get, "/api/v1/users/{insider_id}/devices", .query(api.devices)),
            Endpoint(.delete, "/api/v1/users/{insider_id}/devices/{udid}", .action(api.eraseDevice)),
            Endpoint(.delete, "/api/v1/sdk/device", .device(api.eraseDevice)),
        ]
    }

    static func gateway(_ services: EndpointServices) -> [Endpoint] {
        let documents = services.documents
        var endpoints = [
            Endpoint(.get, "/health/live", .open { _ in Reply.success().response }),
            Endpoint(.get, "/health/ready", .open { _ in await services.health.ready().response }),
            Endpoint(.get, "/openapi.yaml", .open { try documents.answer(.yaml, $0) }),
            Endpoint(.get, "/openapi.json", .open { try documents.answer(.json, $0) }),
            Endpoint(.get, "/docs", .open { try documents.answer(.people, $0) }),
        ]
        if let metrics = services.metrics {
            endpoints.append(Endpoint(.get, "/metrics", .open { await metrics.response(to: $0) }))
        }
        return endpoints
    }
}
