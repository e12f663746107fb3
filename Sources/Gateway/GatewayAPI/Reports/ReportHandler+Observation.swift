import GatewayStore
import LineLog
import LiveActivity
import Logging
import NIOCore
import TimeCore

// A report's counts, and its line in the log.
extension ReportHandler {
    /// What the client calls the request; nil when the answer is to make a name up. One that is logged has one
    /// beforehand.
    func requestID(of request: ReportRequest) -> String? {
        if let given = request.head.requestID, RequestID.isSane(given) { return given }
        return isLogging ? UniqueID.random().description : nil
    }

    /// The report is being answered.
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

    /// There are as many reports as devices, so they are logged for whoever looks for something.
    private var isLogging: Bool { service.context.log.writes(.debug) }
}
