import ConnectionCore
import Glibc

extension GatewayConfiguration {
    /// Checks that this process may open enough files for the configured connections.
    /// - Parameter limit: The maximum number of open files that the system permits.
    func descriptorProblems(limit: Int) -> [ConfigurationProblem] {
        let android = ([fcm] + apps.map(\.fcm)).map { $0.serviceAccountFile == nil ? nil : $0.connections }
        let budget = DescriptorBudget(
            limit: limit,
            providerConnections: DescriptorBudget.providerConnections(apns: apns.connections, fcm: android),
            asked: http.maxConnections)
        let advice = "Raise the process's limit of open files: ulimit -n, or LimitNOFILE in its unit."
        switch budget.warning {
        case nil: return []
        case .fewDescriptors:
            return [
                ConfigurationProblem(
                    severity: .warning, key: "http.max_connections",
                    "A process may open only \(limit) files here, which limits it to \(budget.connections) connections.",
                    advice: advice)
            ]
        case .moreThanDescriptors(let asked):
            return [
                ConfigurationProblem(
                    severity: .warning, key: "http.max_connections",
                    "\(asked) connections exceed the \(budget.connections) that the limit of open files allows here.",
                    advice: advice)
            ]
        }
    }

    /// The number of files that this process may open, at the system's hard limit.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_max)
    }
}
