import GatewayStore
import LiveActivity
import Logging
import NIOCore

// A report's counts, and its line in the log.
extension ReportHandler {
    /// What the client calls the request; nil when the answer is to make a name up. One that is logged has one beforehand.
    func requestID(of request: ReportRequest) -> String? {
        if let given = request.head.requestID, RequestID.isSane(given) { return given }
        return isLogging ? UniqueID.random().description : nil
    }

    /// The report is being answered.
    func note(_ request: ReportRequest, _ status: Int, _ requestID: String?, _ now: NIODeadline) {
        let duration = now - request.began
        service.metrics.answered(
            request.head.place, status: status, nanoseconds: UInt64(max(0, duration.nanoseconds)))
        guard isLogging else { return }
        let route = service.endpoints.reports[request.head.place].measured
        var metadata: Logger.Metadata = [
            "method": "\(route.method)", "route": "\(route.path)", "status": "\(status)",
            "duration_ms": "\(Double(duration.nanoseconds / 10_000) / 100)",
        ]
        if let requestID { metadata["request_id"] = "\(requestID)" }
        if let tenant = request.admission?.tenantID { metadata["tenant"] = "\(tenant)" }
        service.context.logger.debug("request", metadata: metadata)
    }

    /// There are as many reports as devices, so they are logged for whoever looks for something.
    private var isLogging: Bool { service.context.logger.logLevel <= .debug }
}
