/// The reason for which a user or a device is passed over. The raw values are stored, so they never change.
public enum SkipReason: UInt8, CaseIterable, Sendable {
    case unknownUser = 1
    case noDevice = 2
    case osVersion = 3
    case pushOptOut = 4
    case gdprDenied = 5
    case noPushToStartToken = 6
    case notInSegment = 7
    case notSynced = 8
    case superseded = 9
    case ended = 10
    case noRegistrationToken = 13
    case startLimit = 11
    case active = 12
    case deviceLimit = 14

    /// True if an end that passes a Live Activity over for this reason ends it when its device reports next.
    public var leavesEndPending: Bool {
        switch self {
        case .notSynced, .noRegistrationToken, .pushOptOut, .gdprDenied: true
        default: false
        }
    }

    /// The key in `skipped`.
    public var name: String {
        switch self {
        case .unknownUser: "unknown_user"
        case .noDevice: "no_device"
        case .osVersion: "os_version"
        case .pushOptOut: "push_opt_out"
        case .gdprDenied: "gdpr_denied"
        case .noPushToStartToken: "no_push_to_start_token"
        case .notInSegment: "not_in_segment"
        case .notSynced: "not_synced"
        case .superseded: "superseded"
        case .ended: "ended"
        case .noRegistrationToken: "no_registration_token"
        case .startLimit: "start_limit"
        case .active: "active"
        case .deviceLimit: "too_many_cards"
        }
    }
}

/// The numbers of users and devices that were passed over, by reason.
public struct SkipCounts: Equatable, Sendable {
    private var counts = [Int](repeating: 0, count: 1 + SkipCounts.greatestValue)
    private static let greatestValue = Int(SkipReason.allCases.map(\.rawValue).max() ?? 0)

    public init() {}

    /// The number that was passed over for a reason.
    public subscript(reason: SkipReason) -> Int {
        get { counts[Int(reason.rawValue)] }
        set { counts[Int(reason.rawValue)] = newValue }
    }

    /// The reasons that occurred, in the API's order.
    public var occurring: [(reason: SkipReason, count: Int)] {
        isEmpty ? [] : SkipReason.allCases.map { ($0, self[$0]) }.filter { $0.count > 0 }
    }

    /// True if all counts are 0.
    public var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    /// Adds other counts.
    public mutating func add(_ other: SkipCounts) {
        for reason in SkipReason.allCases { self[reason] += other[reason] }
    }
}

extension Device {
    /// The reason for which the device gets no push at all; nil if its user allows pushes.
    public var refusesPushes: SkipReason? {
        if !gdprConsent { return .gdprDenied }
        if !pushOptIn { return .pushOptOut }
        return nil
    }

    /// Returns the reason for which a start passes over the device; nil if it gets the start. A refusal by the user
    /// comes before other reasons.
    ///
    /// - Parameter hasToken: True if the device has a push-to-start token (iOS) or a registration token (Android).
    public func ineligibilityForStart(hasToken: Bool) -> SkipReason? {
        if let reason = refusesPushes { return reason }
        if platform == .ios, osVersion < .pushToStart { return .osVersion }
        return hasToken ? nil : lacksToken
    }

    /// True if the device's Live Activities can follow a channel.
    public var canFollowChannels: Bool { platform == .ios && osVersion >= .channels }

    /// The reason for which a start passes over the device if it has no token.
    public var lacksToken: SkipReason {
        switch platform {
        case .ios: .noPushToStartToken
        case .android: .noRegistrationToken
        }
    }
}
