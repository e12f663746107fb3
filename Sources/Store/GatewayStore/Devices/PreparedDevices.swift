import LiveActivity
import RedisClient
import TimeCore

/// Devices of an import with everything that is made of them ahead of their turn.
///
/// They are written in rounds, one after the other. In a round all devices are written, then all tokens are claimed, and then
/// all former owners are told: so it has a device once and a token once, or what was told of an earlier line would undo
/// what a later one has said.
public struct PreparedDevices: Sendable {
    /// Nearly always one.
    let rounds: [ImportRound]

    init(
        _ all: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String, limits: TenantLimits,
        at now: WallTime
    ) {
        var lines: [ImportLine] = []
        lines.reserveCapacity(all.count)
        var numbers = RoundNumbers(count: all.count)
        var places: [[Int]] = []
        for (place, (key, device, token)) in all.enumerated() {
            let report = TokenReport(
                key: key, token: token ?? [], type: device.platform.hasOneToken ? UserRecord.registrationType : "",
                record: DeviceRecord.encode(device), tenantID: tenantID, receivedAt: now, limits: limits,
                isImport: true)
            let line = ImportLine(device: device, report: report, index: report.token.isEmpty ? nil : report.index)
            lines.append(line)
            let number = numbers.next(key, line.index)
            if number == places.count { places.append([]) }
            places[number].append(place)
        }
        rounds = places.map { places in ImportRound(places.lazy.map { lines[$0] }, tenantID: tenantID, at: now) }
    }
}

/// In which round a line is: behind every line before it that has the same device or the same token.
private struct RoundNumbers {
    private var devices: [DeviceKey: Int] = [:]
    private var tokens: [UInt64: Int] = [:]

    init(count: Int) {
        devices.reserveCapacity(count)
        tokens.reserveCapacity(count)
    }

    mutating func next(_ key: DeviceKey, _ token: TokenIndex?) -> Int {
        var number = devices[key].map { $0 + 1 } ?? 0
        if let token, let last = tokens[token.number] { number = max(number, last + 1) }
        devices[key] = number
        if let token { tokens[token.number] = number }
        return number
    }
}

private struct ImportLine {
    let device: Device
    let report: TokenReport
    /// Nil without a token.
    let index: TokenIndex?
}

/// Devices of an import that are written together. No device comes twice, and no token.
struct ImportRound: Sendable {
    let reports: [TokenReport]
    /// Those of the reports that have one, in their order.
    let tokens: [TokenIndex]
    /// For each of these its field in the index, and its entry there when nobody had it.
    let entries: RedisArguments
    /// For each device the key of its user, and what `Scripts.importDevices` takes of it.
    private let users: RedisArguments
    private let devices: RedisArguments

    fileprivate init(_ lines: some Collection<ImportLine>, tenantID: String, at now: WallTime) {
        let time = UserRecord.encode(now)
        var reports: [TokenReport] = []
        var tokens: [TokenIndex] = []
        var entries = RedisArguments(reserving: 2 * lines.count, byteCountHint: 24)
        var users = RedisArguments(reserving: lines.count, byteCountHint: 80)
        var devices = RedisArguments(reserving: 4 * lines.count, byteCountHint: 24)
        reports.reserveCapacity(lines.count)
        tokens.reserveCapacity(lines.count)
        for line in lines {
            let report = line.report
            reports.append(report)
            users.append(Keys.encodedUser(tenantID, report.key.insiderID))
            devices.append(UserRecord.deviceField(report.key.udid))
            devices.append(DeviceRecord.encodeFirst(line.device, reportedAt: time))
            if let index = line.index {
                devices.append(UserRecord.tokenField(device: 1, report.type))
                devices.append(time, report.token)
                tokens.append(index)
                entries.appendEntry(of: index, report.owner, reportedAt: time)
            } else {
                devices.append()
                devices.append()
            }
        }
        self.reports = reports
        self.tokens = tokens
        self.entries = entries
        self.users = users
        self.devices = devices
    }

    /// Writes some of them, see `Scripts.importDevices`.
    func write(_ places: Range<Int>, _ course: ImportCourse) -> RedisCommand {
        RedisCommand(
            script: Scripts.importDevices, keys: users[places],
            arguments: [course.asks, devices[(4 * places.lowerBound)..<(4 * places.upperBound)]])
    }
}
