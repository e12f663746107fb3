import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import Tracing

@Suite("Traces", .serialized)
struct TracingTests {
    private static let caller = TestTracer.Identity(
        trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331")

    @Test("A start's trace goes from the caller's traceparent to the jobs of whichever gateway; no push has a span")
    func wholeWay() async throws {
        let tracer = TestTracer()
        try await withTracer(tracer) {
            try await TestStage.run(gateways: 2) { stage in
                try await stage.addDevices(3000)
                let id = try await stage.register(3000)
                let answer = try await stage.call(
                    "start", TestStage.body(id),
                    headers: ["traceparent": Self.caller.traceparent, "X-Request-Id": "traced"])
                #expect(answer.accepted == 3000)
                let broadcast = try #require(answer["broadcast_id"]?.string)

                let request = try #require(tracer.spans.first { $0.text("fanfare.request_id") == "traced" })
                #expect(request.operationName == "POST /api/v1/live-activity/start" && request.kind == .server)
                #expect(request.identity.trace == Self.caller.trace && request.parent == Self.caller)
                #expect(request.text("http.response.status_code") == "200")
                #expect(request.text("fanfare.tenant_id") == stage.tenant.tenantID)

                let about = tracer.spans.filter { $0.text("fanfare.broadcast_id") == broadcast }
                let record = try #require(about.first { $0.operationName == "record broadcast" })
                #expect(record.parent == request.identity && record.kind == .producer)
                let jobs = about.filter { $0.operationName == "broadcast job" }
                #expect(jobs.count == 1 && jobs.allSatisfy { $0.kind == .consumer })
                for job in jobs {
                    #expect(job.values.links == [record.identity])
                    #expect(job.text("fanfare.request_id") == "traced" && job.text("fanfare.activity_id") == id)
                    #expect(job.text("fanfare.end") == "complete")
                }
                #expect(tracer.spans.count < 20)
                #expect(tracer.spans.allSatisfy { $0.values.ends == 1 })
            }
        }
    }

    @Test("The trace is kept with the broadcast: a gateway that takes over links to it")
    func takeover() async throws {
        let tracer = TestTracer()
        try await withTracer(tracer) {
            try await TestStage.run { stage in
                try await stage.addDevices(10)
                let id = try #require(UniqueID(try await stage.register(10)))
                let record = try #require(try await stage.store.activities.activity(id))
                var draft = TestStage.startDraft()
                draft.origin = BroadcastOrigin(
                    requestID: "elsewhere", trace: ["traceparent": Self.caller.traceparent])
                let order = try await stage.store.broadcasts.begin(draft, for: record).get()
                _ = try await stage.ended(order.id)
                let job = try #require(tracer.spans.first { $0.operationName == "broadcast job" })
                #expect(job.values.links == [Self.caller] && job.text("fanfare.request_id") == "elsewhere")
            }
        }
    }

    @Test("Refusals and stops are told by the spans; devices, health checks and scrapes have none")
    func failures() async throws {
        let tracer = TestTracer()
        try await withTracer(tracer) {
            try await TestStage.run { stage in
                let id = try await stage.started(2)
                _ = try await stage.sync(0, id)
                _ = try await stage.metrics()
                _ = try await stage.ready()
                #expect(try await stage.call("start", TestStage.body(id)).status == 409)
                let refused = try #require(tracer.spans.last { $0.kind == .server })
                #expect(refused.text("fanfare.code") == "ALREADY_STARTED" && !refused.values.isFailed)
                #expect(tracer.spans.last { $0.operationName == "record broadcast" }?.values.isFailed == true)
                #expect(
                    tracer.spans.filter { $0.kind == .server }.allSatisfy {
                        $0.operationName.hasPrefix("POST /api/v1/live-activity/")
                    })

                stage.mock.setScript(.always(.answer(status: 400, reason: "BadPriority")))
                try await stage.addDevices(25)
                let other = try await stage.register(25)
                _ = try await stage.call("start", TestStage.body(other))
                let stopped = try #require(tracer.spans.last { $0.operationName == "broadcast job" })
                #expect(stopped.text("fanfare.stop_reason") == "BadPriority" && stopped.values.isFailed)
            }
        }
    }
}
