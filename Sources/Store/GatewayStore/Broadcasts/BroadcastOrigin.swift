/// The request that began a broadcast. It is part of the record, so that logs and traces of all gateways name it.
public struct BroadcastOrigin: Equatable, Sendable {
    /// The `X-Request-Id`; empty if there was no request.
    public var requestID: String
    /// The tracer's headers, for example `traceparent`.
    public var trace: [String: String]
    /// The cause of the broadcast's events.
    public var source = EventSource.customer

    /// The most bytes of trace headers in a record. More are dropped.
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

    /// The fields of the record, without unknown ones.
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
