/// The state of the serving gateway that the console shows to operators.
public struct ConsoleGateway: Sendable {
    let readiness: ReadinessBoard
    let metrics: MetricSource
    let version: String
    let commit: String

    /// - Parameters:
    ///   - readiness: The reasons for which the gateway is not ready.
    ///   - metrics: The source of its metrics page.
    ///   - version: Its version, for example `0.1.0`.
    ///   - commit: The commit of its build; empty if unknown.
    public init(readiness: ReadinessBoard, metrics: @escaping MetricSource, version: String, commit: String) {
        self.readiness = readiness
        self.metrics = metrics
        self.version = version
        self.commit = commit
    }
}
