/// What operators see of the gateway that serves the console.
public struct ConsoleGateway: Sendable {
    let readiness: ReadinessBoard
    let metrics: MetricSource
    let version: String
    let commit: String

    /// - Parameters:
    ///   - readiness: what keeps the gateway from its work.
    ///   - metrics: everything that it counts.
    ///   - version: the gateway's own, such as `0.1.0`.
    ///   - commit: what it is built from; empty when that is not known.
    public init(readiness: ReadinessBoard, metrics: @escaping MetricSource, version: String, commit: String) {
        self.readiness = readiness
        self.metrics = metrics
        self.version = version
        self.commit = commit
    }
}
