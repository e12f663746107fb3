public import LiveActivity
import TimeCore

/// Devices of an import, encoded line by line while the previous batch is written.
public struct DeviceBatch: Sendable {
    /// The number of devices.
    public private(set) var count = 0
    private let tenantID: String
    private let limits: TenantLimits
    private let clock: @Sendable () -> WallTime
    /// The report time of all devices.
    private let begun: WallTime
    private let capacity: Int
    private var numbers: RoundNumbers
    private var rounds: [ImportRound] = []

    /// The time for which a batch takes devices. Short, because all devices have the report time of its beginning.
    private static let patience = TimeInterval.seconds(1)

    /// - Parameters:
    ///   - capacity: The largest number of devices.
    init(
        _ tenantID: String, _ limits: TenantLimits, capacity: Int, clock: @escaping @Sendable () -> WallTime
    ) {
        self.tenantID = tenantID
        self.limits = limits
        self.clock = clock
        self.capacity = capacity
        begun = clock()
        numbers = RoundNumbers(count: capacity)
    }

    /// True if the next device belongs to another batch.
    public var isOver: Bool {
        guard count < capacity else { return true }
        let now = clock()
        return now < begun || begun + DeviceBatch.patience < now
    }

    /// Adds a device.
    /// - Parameter token: The registration token of an Android device; of others a push-to-start token for any activity
    ///   type.
    public mutating func append(_ key: DeviceKey, _ device: Device, token: [UInt8]?) {
        precondition(count < capacity)
        let index = token.flatMap { $0.isEmpty ? nil : TokenIndex($0, tenantID: tenantID) }
        let (number, hasUser) = numbers.next(key, index)
        if number == rounds.count {
            // Further rounds have few devices.
            rounds.append(ImportRound(tenantID, limits, at: begun, reserving: number == 0 ? capacity : 16))
        }
        rounds[number].append(key, device, token, index, hasUser: hasUser)
        count += 1
    }

    /// Prepares the batch for writing.
    public consuming func prepared() -> PreparedDevices {
        for number in rounds.indices { rounds[number].sortTokens() }
        return PreparedDevices(rounds: rounds)
    }
}
