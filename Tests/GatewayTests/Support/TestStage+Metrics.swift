import ScrapedMetrics
import Testing
import TimeCore

extension TestStage {
    /// Returns a gateway's metrics page.
    /// - Parameter port: The port of a gateway outside the stage.
    func metrics(gateway: Int = 0, port: Int? = nil) async throws -> ScrapedPage {
        let answer = try await send("GET", "/metrics", nil, headers: [:], gateway: gateway, port: port)
        try #require(answer.status == 200)
        #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        return try ScrapedPage(answer.text)
    }

    /// Returns the page once at least `finished` broadcasts have finished and none is under way, or after 30 seconds. A
    /// caller may get its answer before the count.
    func metrics(gateway: Int = 0, finished: Int) async throws -> ScrapedPage {
        let end = MonotonicTime.now() + .seconds(30)
        while true {
            let page = try await metrics(gateway: gateway)
            let isOver =
                page.sum("fanfare_broadcasts_finished_total") >= Double(finished)
                && page.value("fanfare_broadcasts_unfinished") == 0 && page.sum("fanfare_jobs") == 0
            if isOver || MonotonicTime.now() > end {
                return page
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    static let customerRoute = "/api/v1/live-activity/"

    /// Returns the number of requests to a customer's endpoint.
    static func requests(_ page: ScrapedPage, _ endpoint: String, _ code: Int, method: String = "POST") -> Double? {
        page.value(
            "fanfare_http_requests_total",
            ["route": "\(customerRoute)\(endpoint)", "method": method, "code": "\(code)"])
    }

    static func pushes(_ page: ScrapedPage, _ event: String, _ outcome: String, _ reason: String = "") -> Double? {
        page.value("fanfare_pushes_total", ["event": event, "outcome": outcome, "reason": reason])
    }
}
