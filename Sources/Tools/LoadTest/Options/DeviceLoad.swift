public import TimeCore

/// A load of devices that register and then sync.
public struct DeviceLoad: Sendable {
    /// The activity that the devices report for.
    public enum Activity: Sendable, Equatable {
        case id(String)
        /// The newest started activity of this type that the device has received.
        case type(String)
    }

    /// The gateway and the devices.
    public var target = LoadTarget()
    /// The SDK key of the devices.
    public var sdkKey = ""
    /// The tenant's identity secret; nil if devices report without signatures.
    public var identitySecret: String?
    /// True to register the devices and their push-to-start tokens first.
    public var registers = false
    /// The percentage (0 to 100) of Android devices; the others are iPhones.
    public var androidShare = 0
    /// The activity of the syncs; nil for no syncs.
    public var activity: Activity?
    /// The number of further tokens that each device reports after its first.
    public var rotations = 0
    /// The time in which all syncs are due; nil to sync as fast as the connections allow.
    public var within: TimeInterval?
    /// The maximum number of connections, and so of calls under way.
    public var connections = 64

    public init() {}

    /// The maximum number of requests.
    public var requestCount: Int {
        (registers ? 2 * target.devices : 0) + (activity == nil ? 0 : syncCount)
    }

    var syncCount: Int { target.devices * (1 + rotations) }

    /// Throws an error with a human-readable message if an option is invalid.
    public func check() throws(LoadTestError) {
        try target.check()
        _ = try DeviceCredential(sdkKey: sdkKey, identitySecret, target)
        guard registers || activity != nil else {
            throw LoadTestError("--activity-id, --activity-type or --register-only is required")
        }
        if case .id(let id) = activity { try Field.check(id, "--activity-id") }
        if case .type(let type) = activity { try Field.check(type, "--activity-type") }
        guard (0...100).contains(androidShare) else { throw LoadTestError("--android must be 0 to 100") }
        guard (0...1000).contains(rotations) else { throw LoadTestError("--rotations must be 0 to 1,000") }
        guard (1...LoadTarget.mostConnections).contains(connections) else {
            throw LoadTestError("--connections must be 1 to 20,000")
        }
        if let within, within < .milliseconds(1) || within > .seconds(86_400) {
            throw LoadTestError("--within must be 1ms to 24h")
        }
        guard requestCount <= target.maximumRequests else {
            throw LoadTestError(
                "the run needs \(requestCount) requests, but --max-requests allows \(target.maximumRequests)")
        }
    }
}

/// Checks texts that requests contain without escaping.
enum Field {
    static func check(_ text: String, _ name: String) throws(LoadTestError) {
        guard !text.isEmpty, text.utf8.count <= 256,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else {
            throw LoadTestError("\(name) must be 1 to 256 visible ASCII characters without quotes and backslashes")
        }
    }
}
