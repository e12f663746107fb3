/// The format of a page of metrics.
public enum MetricFormat: Equatable, Sendable {
    /// Version 0.0.4 of Prometheus's text format.
    case prometheus
    /// OpenMetrics 1.0.0.
    case openMetrics

    /// Selects the format for an `Accept` field: Prometheus's, unless OpenMetrics has an equal or higher quality (RFC
    /// 9110, section 12.5.1).
    public init(accept: String?) {
        var openMetrics = 0.0
        var others = 0.0
        for range in (accept ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            let quality = parts.dropFirst().lazy.compactMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil }.first
            if parts.first == "application/openmetrics-text" {
                openMetrics = max(openMetrics, quality ?? 1)
            } else if ["text/plain", "text/*"].contains(parts.first) {
                others = max(others, quality ?? 1)
            }
        }
        self = openMetrics > 0 && openMetrics >= others ? .openMetrics : .prometheus
    }

    /// The value of the header field.
    public var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}
