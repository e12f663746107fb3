/// What a number of devices and updates takes of gateways, Redis and network, worked out from figures that `make bench`
/// has measured. They are `docs/capacity.md`'s, on the machine that is named there.
struct CapacityPlan: Equatable {
    /// What is asked for.
    struct Demand: Equatable {
        /// In the segment.
        var devices: Int
        /// To all of them.
        var updatesPerMinute: Double
        /// In which an update is to reach everybody.
        var seconds: Double
        /// That each device is in at a time.
        var activities = 1
        /// Until the provider answers a push, in milliseconds.
        var latency = 50.0
        /// That the provider allows on a connection.
        var streams = 1000
        /// Of a gateway to the provider.
        var connections = 8
    }

    /// The measured figures. Times are microseconds of a core.
    enum Measured {
        static let registryBytes = 274.0
        static let rosterBytes = 111.0
        static let gatewayOfPush = 1.4
        static let redisOfDevice = 0.3
        static let bytesOfPush = 788.0
        static let commandsOfDevice = 0.0241
        static let gatewayOfSync = 20.0
        static let redisOfSync = 21.0
        static let registerOfUser = 6.4
        /// Of the throughput that several gateways would have if none held another up.
        static let efficiency = 0.96
    }

    /// Whoever is killed must have somebody who goes on.
    static let fewestGateways = 2
    /// As much of a core, and of a master's memory, as is planned with.
    static let fullestCore = 0.5
    static let largestMaster = 16e9
    /// Beside the data: fragmentation, buffers, growth.
    static let headroom = 1.25
    /// In which the devices of a start report their update tokens.
    static let stormSeconds = 300.0

    let demand: Demand
    /// That an update needs.
    let pushesPerSecond: Double
    /// That one gateway sends at most, which the provider's streams and time to answer bound.
    let pushesPerGateway: Double
    let gateways: Int
    /// Cores of all gateways together, averaged over a minute with its updates.
    let gatewayCores: Double
    /// Cores of one gateway while it sends.
    let coresWhileSending: Double
    /// Out of one gateway while it sends, in bits a second.
    let bitsPerSecond: Double
    /// Bytes of data, and as many as all masters together should be given.
    let redisBytes: Double
    let redisLimit: Double
    let masters: Int
    /// Cores of Redis while an update is sent, all masters together.
    let redisCores: Double
    let redisCommandsPerSecond: Double
    /// When all devices report their tokens after a start.
    let syncsPerSecond: Double
    let syncGatewayCores: Double
    let syncRedisCores: Double
    /// To register the segment, when it is stored.
    let registerSeconds: Double

    init(_ demand: Demand) {
        let devices = Double(demand.devices)
        self.demand = demand
        pushesPerSecond = devices / demand.seconds
        pushesPerGateway = Double(demand.connections * demand.streams) / (demand.latency / 1000)
        let needed = (pushesPerSecond / (pushesPerGateway * Measured.efficiency)).rounded(.up)
        gateways = max(CapacityPlan.fewestGateways, Int(needed))
        gatewayCores = devices * demand.updatesPerMinute / 60 * Measured.gatewayOfPush / 1e6
        let own = pushesPerSecond / Double(gateways)
        coresWhileSending = own * Measured.gatewayOfPush / 1e6
        bitsPerSecond = own * Measured.bytesOfPush * 8
        redisBytes = devices * (Measured.registryBytes + Double(demand.activities) * Measured.rosterBytes)
        redisLimit = redisBytes * CapacityPlan.headroom
        redisCores = pushesPerSecond * Measured.redisOfDevice / 1e6
        redisCommandsPerSecond = pushesPerSecond * Measured.commandsOfDevice
        syncsPerSecond = devices / CapacityPlan.stormSeconds
        syncGatewayCores = syncsPerSecond * Measured.gatewayOfSync / 1e6
        syncRedisCores = syncsPerSecond * Measured.redisOfSync / 1e6
        let byMemory = (redisLimit / CapacityPlan.largestMaster).rounded(.up)
        let byCPU = (max(redisCores, syncRedisCores) / CapacityPlan.fullestCore).rounded(.up)
        masters = max(1, Int(byMemory), Int(byCPU))
        registerSeconds = devices * Measured.registerOfUser / 1e6
    }
}
