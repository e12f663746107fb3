import ConnectionCore
import Glibc

extension GatewayConfiguration {
    /// What is wrong with the connections that are asked for, where this process may open so many files.
    /// - Parameter limit: the most that the system would let it have.
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

    /// How many files this process could have open.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_max)
    }
}
