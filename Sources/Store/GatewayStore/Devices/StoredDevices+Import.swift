public import LiveActivity
import Reactor
import RedisClient
import TimeCore

extension StoredDevices {
    /// Begins an import of a tenant's devices.
    public func importing(_ tenantID: String, limits: TenantLimits = .standard) -> DeviceImport {
        DeviceImport(self, tenantID, limits)
    }

    /// Writes devices with their tokens, as an import of a single batch.
    public func importDevices(
        _ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String,
        limits: TenantLimits = .standard
    ) async throws(StoreError) {
        try await importing(tenantID, limits: limits).add(devices)
    }

    /// Writes the devices of a round.
    /// - Parameter course: The course of the round before; afterwards that of this round.
    /// - Returns: The replies that need further steps, by line. Most lines need none.
    func putImported(
        _ round: ImportRound, _ course: inout ImportCourse
    ) async throws(StoreError) -> [Int: PutDeviceReply] {
        var replies: [Int: PutDeviceReply] = [:]
        guard round.count > 0 else { return replies }
        let (tenantID, limits) = (round.tenantID, round.limits)
        let isSingle = await isSingleServer()
        var start = 0
        while start < round.count {
            let (permit, refused) = usage.importPermit(tenantID, limits)
            let pieces = ImportRound.pieces
            let size = min(max(usage.importRoom(tenantID, limits), pieces.lowerBound), pieces.upperBound)
            let piece = start..<min(start + size, round.count)
            start = piece.upperBound
            var left = Array(piece)
            var made = Made.nothing
            var same = 0
            if course != .changes, isSingle, permit == .any, limits[.devicesPerUser] > 0 {
                // A user's second device needs put-device, because the first one makes the user known.
                let (first, others) = round.split(piece)
                let written = try await write(round, first, course)
                left = (written.left + others).sorted()
                same = written.same
                let done = piece.count - left.count - same
                made = Made(users: done, devices: done)
            }
            for (place, written) in zip(left, try await put(left.map(round.report), permit)) {
                let reply = reply(written, refused)
                made.users += reply.made.users
                made.devices += reply.made.devices
                if case .unchanged = written { same += 1 }
                if !reply.isDone { replies[place] = reply }
            }
            course = ImportCourse(made: made.users, same: same, of: piece.count)
            usage.settle(.none, made, tenantID: tenantID, limits)
        }
        return replies
    }

    private func put(
        _ reports: [TokenReport], _ permit: MakingPermit
    ) async throws(StoreError) -> [Scripts.PutDeviceReply] {
        let replies = try await values(
            count: reports.count, command: { self.putDeviceCall(reports[$0], permit).command },
            read: { _, reply in Scripts.PutDeviceReply.read(reply.copy()) })
        let whole = replies.compactMap { $0 }
        guard whole.count == reports.count else { throw .damaged("the reply of the script put-device") }
        return whole
    }

    /// Writes one device of an import.
    func putImported(_ report: TokenReport) async throws(StoreError) -> PutDeviceReply {
        let (permit, refused) = usage.importPermit(report.tenantID, report.limits)
        let reply = reply(try await run(putDeviceCall(report, permit)), refused)
        usage.settle(
            .none, Made(users: reply.made.users, devices: reply.made.devices), tenantID: report.tenantID,
            report.limits)
        return reply
    }

    private func reply(_ written: Scripts.PutDeviceReply, _ refused: QuotaRefusal?) -> PutDeviceReply {
        var reply = PutDeviceReply(written)
        if reply.mayNotMakeDevice || reply.mayNotMakeUser {
            reply.refusal = refused.map { refusal($0.limit, $0.wait) }
        }
        return reply
    }

    /// True if the server is known to be no cluster. A cluster has the users on several nodes.
    private func isSingleServer() async -> Bool {
        await redis.reactor.call(stopped: false) { $0(self.redis.keepsOrderAcrossKeys) }
    }

    /// Writes the devices of unknown users, and those that repeat their stored values.
    /// - Parameter places: The lines, no user twice.
    /// - Returns: The other lines in ascending order, and the number of repeated devices.
    private func write(
        _ round: ImportRound, _ places: [Int], _ course: ImportCourse
    ) async throws(StoreError) -> (left: [Int], same: Int) {
        let size = ImportRound.usersInCall
        let replies = try await values(
            count: (places.count + size - 1) / size, window: ImportRound.callsInWindow,
            command: { call in
                round.write(places[(call * size)..<min((call + 1) * size, places.count)], course)
            },
            read: { _, reply in Scripts.ImportDevicesReply.read(reply.copy()) })
        var (left, same): ([Int], Int) = ([], 0)
        for (call, reply) in replies.enumerated() {
            guard let reply else { throw .damaged("the reply of the script import-devices") }
            left += reply.left.map { places[call * size + $0] }
            same += reply.same.count
        }
        return (left, same)
    }
}

/// The kind of most lines of late, which selects the commands.
enum ImportCourse {
    /// Most users are unknown. One call creates several, after one check of them all.
    case makesUsers
    /// Most devices are known and unchanged. One call writes several.
    case repeats
    /// Most devices have changed. Each takes a call of its own.
    case changes

    init(made: Int, same: Int, of count: Int) {
        self = 2 * made > count ? .makesUsers : 2 * (made + same) > count ? .repeats : .changes
    }

    /// The argument of `Scripts.importDevices`.
    var asks: String { self == .makesUsers ? "1" : "" }
}
