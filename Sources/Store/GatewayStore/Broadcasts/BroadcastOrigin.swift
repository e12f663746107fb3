/// Where a broadcast comes from: kept with its record, so that logs and traces of whichever gateway works on it name
/// the request that began it.
public struct BroadcastOrigin: Equatable, Sendable {
    /// The `X-Request-Id`; empty when there was no request.
    public var requestID: String
    /// What a tracer hands on from process to process, such as `traceparent`.
    public var trace: [String: String]
    /// The cause of its events.
    public var source = EventSource.customer

    /// More of a tracer's words is not kept.
    private static let traceLimit = 2048

    public init(requestID: String = "", trace: [String: String] = [:]) {
        self.requestID = requestID
        self.trace = trace
    }

    init(requestID: String?, trace: String?, source: String?) {
        self.source = source.flatMap(EventSource.init) ?? .customer
        self.requestID = requestID ?? ""
        var read: [String: String] = [:]
        for line in (trace ?? "").split(separator: "\n") {
            let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { read[String(pair[0])] = String(pair[1]) }
        }
        self.trace = read
    }

    /// The fields of the record; none for what is not known.
    var fields: [String] {
        var fields: [String] = []
        if !requestID.isEmpty { fields += ["request", requestID] }
        let lines = trace.filter { !"\($0.key)\($0.value)".contains("\n") && !$0.key.contains("=") }
            .sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
        if !lines.isEmpty, lines.utf8.count <= BroadcastOrigin.traceLimit { fields += ["trace", lines] }
        if source != .customer { fields += ["source", source.rawValue] }
        return fields
    }
}
