import GatewayStore
import LineLog
import LiveActivity
import Logging
import NIOCore
import TimeCore

// The metrics and log lines of reports.
extension ReportHandler {
    /// The client's request id; nil if the encoder of the answer may create one. A logged report gets its id here.
    func requestID(of request: ReportRequest) -> String? {
        if let given = request.head.requestID, RequestID.isSane(given) { return given }
        return isLogging ? UniqueID.random().description : nil
    }

    /// Records the answer of a report.
    func note(_ request: ReportRequest, _ status: Int, _ requestID: String?, _ now: NIODeadline) {
        let duration = TimeInterval(nanoseconds: UInt64(max(0, (now - request.began).nanoseconds)))
        service.metrics.answered(request.head.place, status: status, nanoseconds: duration.nanoseconds)
        guard isLogging else { return }
        let route = service.endpoints.reports[request.head.place].measured
        service.context.log.log(.debug, "request") { line in
            line.add("request_id", requestID)
            line.add("tenant", request.admission?.tenantID)
            line.add("method", route.method)
            line.add("route", route.path)
            line.add("status", status)
            line.add("duration_ms", milliseconds: duration)
        }
    }

    /// True at level debug. Other levels have no line, because there are as many reports as devices.
    private var isLogging: Bool { service.context.log.writes(.debug) }
}
