public import TimeCore

/// Devices that register, and a storm of syncs.
public struct DeviceLoad: Sendable {
    /// Which activity the devices report for.
    public enum Activity: Sendable, Equatable {
        case id(String)
        /// The newest started one of this type that the device was pushed.
        case type(String)
    }

    /// Whom to call.
    public var target = LoadTarget()
    /// The key that the devices carry.
    public var sdkKey = ""
    /// What their tenant's server signs with; nil: they report without a signature.
    public var identitySecret: String?
    /// Registers the devices and their push-to-start tokens first.
    public var registers = false
    /// Of a hundred devices so many are Android's; the others are iPhones.
    public var androidShare = 0
    /// Nil: no syncs.
    public var activity: Activity?
    /// Times each device reports another token after its first.
    public var rotations = 0
    /// All syncs are due within this time; nil: as fast as the connections carry them.
    public var within: TimeInterval?
    /// Connections, and so calls under way, at most.
    public var connections = 64

    public init() {}

    /// Requests that are made at most.
    public var requestCount: Int {
        (registers ? 2 * target.devices : 0) + (activity == nil ? 0 : syncCount)
    }

    var syncCount: Int { target.devices * (1 + rotations) }

    /// Throws a sentence for people when something makes no sense.
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

/// Texts that go into requests as they are.
enum Field {
    static func check(_ text: String, _ name: String) throws(LoadTestError) {
        guard !text.isEmpty, text.utf8.count <= 256,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else {
            throw LoadTestError("\(name) must be 1 to 256 visible ASCII characters without quotes and backslashes")
        }
    }
}
