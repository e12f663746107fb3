import RedisClient
import TimeCore

extension UsageTally.Answer {
    /// Parses the reply of `add-usage`.
    init?(_ reply: RedisValue) {
        guard let parts = reply.array, parts.count >= 8 else { return nil }
        let numbers = parts[..<8].map { Int($0.int ?? 0) }
        users = numbers[0]
        devices = numbers[1]
        newDevices = numbers[2]
        wait = .milliseconds(numbers[3])
        given = .init(users: numbers[5], devices: numbers[4])
        let limits = [TenantLimits.Limit.users, .devices, .newDevices]
        isShort = Set(limits.indices.filter { numbers[6] >> $0 & 1 == 1 }.map { limits[$0] })
        isRecountDue = numbers[7] == 1
        crossings = QuotaCrossing.all(parts[8...])
    }
}
