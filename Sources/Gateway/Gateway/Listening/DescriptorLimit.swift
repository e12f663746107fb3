import ConnectionCore
import FCM
import GatewayAPI
import Glibc
import Logging
import PushClient

/// The limit of open file descriptors of the process.
enum DescriptorLimit {
    /// Raises the limit to the maximum that the system permits. Returns the new limit.
    static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}

extension DescriptorBudget {
    /// Calculates the budget of a gateway with these options.
    init(_ options: GatewayOptions, limit: Int) {
        let android = ([options.fcm] + options.furtherApps.map(\.fcm)).map { $0?.push.maximumConnections }
        self.init(
            limit: limit,
            providerConnections: DescriptorBudget.providerConnections(
                apns: options.push.maximumConnections, fcm: android),
            asked: options.connections.maximum)
    }

    func write(to logger: Logger, limit: Int) {
        let metadata: Logger.Metadata = [
            "descriptors": .stringConvertible(limit), "connections": .stringConvertible(connections),
            "spare": .stringConvertible(spare),
        ]
        switch warning {
        case nil: logger.info("file descriptors allocated", metadata: metadata)
        case .fewDescriptors:
            logger.warning(
                "limit of open files too low", metadata: metadata.merging(DescriptorBudget.remedy) { $1 })
        case .moreThanDescriptors(let asked):
            logger.warning(
                "http.max_connections exceeds the limit of open files",
                metadata: metadata.merging(["max_connections": .stringConvertible(asked)]) { $1 }
                    .merging(DescriptorBudget.remedy) { $1 })
        }
    }

    private static let remedy: Logger.Metadata = [
        "remedy": "raise the limit of open files: ulimit -n, or LimitNOFILE in the unit"
    ]
}
