public import LiveActivity
import Reactor
import RedisClient
import TimeCore

extension StoredDevices {
    /// Begins an import of a tenant's devices.
    public func importing(_ tenantID: String, limits: TenantLimits = .standard) -> DeviceImport {
        DeviceImport(self, tenantID, limits)
    }

    /// Writes devices with their tokens, all at once: an import that has no more.
    public func importDevices(
        _ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String,
        limits: TenantLimits = .standard
    ) async throws(StoreError) {
        try await importing(tenantID, limits: limits).add(devices)
    }

    /// How many devices of an import are written between two looks at what the tenant may have.
    private static let importPiece = 2000

    /// Writes devices of an import, all of one tenant.
    /// - Parameters:
    ///   - round: the devices of the reports; without it each takes a call of its own.
    ///   - course: what most of the users were so far; afterwards what they are.
    func putImported(
        _ reports: [TokenReport], _ round: ImportRound? = nil, _ course: inout ImportCourse
    ) async throws(StoreError) -> [PutDeviceReply] {
        guard let (tenantID, limits) = reports.first.map({ ($0.tenantID, $0.limits) }) else { return [] }
        var replies = [PutDeviceReply](repeating: PutDeviceReply(.integer(0)), count: reports.count)
        let isSingle = await isSingleServer()
        for start in stride(from: 0, to: reports.count, by: StoredDevices.importPiece) {
            let piece = start..<min(start + StoredDevices.importPiece, reports.count)
            let (permit, refused) = usage.importPermit(tenantID, limits)
            var left = Array(piece)
            var made = Made.nothing
            var same = 0
            if course != .changes, let round, isSingle, permit == .any, limits[.devicesPerUser] > 0 {
                let written = try await write(round, piece, course)
                left = written.left
                same = written.same.count
                let done = piece.count - left.count - same
                made = Made(users: done, devices: done)
                for place in piece { replies[place] = .madeUser }
                for place in written.same { replies[place] = PutDeviceReply(.integer(0)) }
            }
            let others = try await values(
                count: left.count, command: { [left] in self.putDeviceCommand(reports[left[$0]], permit) },
                read: { _, reply in reply.copy() })
            for (place, value) in zip(left, others) {
                var reply = PutDeviceReply(value)
                made.users += reply.made.users
                made.devices += reply.made.devices
                if value.int == 0 { same += 1 }
                if reply.mayNotMakeDevice || reply.mayNotMakeUser {
                    reply.refusal = refused.map { refusal($0.limit, $0.wait) }
                }
                replies[place] = reply
            }
            course = ImportCourse(made: made.users, same: same, of: piece.count)
            usage.settle(.none, made, tenantID: tenantID, limits)
        }
        return replies
    }

    /// A cluster has the users on several nodes; so as long as nobody knows what the server is.
    private func isSingleServer() async -> Bool {
        await redis.reactor.call(stopped: false) { $0(self.redis.keepsOrderAcrossKeys) }
    }

    /// How many users one call makes: some tens of microseconds of Redis's.
    private static let usersInCall = 16
    /// How many of these calls are in its hands.
    private static let callsInWindow = 8

    /// Writes the devices of users who are not known, and of those where nothing changes.
    /// - Returns: the places of the others, in ascending order, and of those where nothing changes.
    private func write(
        _ round: ImportRound, _ piece: Range<Int>, _ course: ImportCourse
    ) async throws(StoreError) -> (left: [Int], same: [Int]) {
        let size = StoredDevices.usersInCall
        let calls = (piece.count + size - 1) / size
        let replies = try await values(
            count: calls, window: StoredDevices.callsInWindow,
            command: { call in
                let first = piece.lowerBound + call * size
                return round.write(first..<min(first + size, piece.upperBound), course)
            },
            read: { call, reply -> (left: [Int], same: [Int]) in
                let numbers = reply.elements.compactMap { $0.integer.map { Int($0) } }
                let places = numbers.dropFirst().map { piece.lowerBound + call * size + $0 }
                let count = numbers.first ?? 0
                return (Array(places.prefix(count)), Array(places.dropFirst(count)))
            })
        return (replies.flatMap(\.left), replies.flatMap(\.same))
    }
}

/// What most users of an import were lately: which way it takes goes by that.
enum ImportCourse {
    /// Not known: they are made some at a time, and one question tells.
    case makesUsers
    /// Known, with the same device: they are written some at a time.
    case repeats
    /// Known, with another one: each takes a call of its own.
    case changes

    init(made: Int, same: Int, of count: Int) {
        self = 2 * made > count ? .makesUsers : 2 * (made + same) > count ? .repeats : .changes
    }

    /// As `Scripts.importDevices` takes it.
    var asks: RedisArguments.Part { self == .makesUsers ? ImportCourse.ways[0..<1] : ImportCourse.ways[1..<2] }

    private static let ways = {
        var arguments = RedisArguments(reserving: 2, byteCountHint: 1)
        arguments.append([UInt8(ascii: "1")])
        arguments.append()
        return arguments
    }()
}
