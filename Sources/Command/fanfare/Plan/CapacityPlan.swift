/// The gateways, Redis and network that a number of devices and updates needs. It is calculated from the figures that
/// `make bench` measured on the machine in `docs/capacity.md`.
struct CapacityPlan: Equatable {
    /// The expected load.
    struct Demand: Equatable {
        /// The number of devices in the segment.
        var devices: Int
        /// The number of updates to all devices each minute.
        var updatesPerMinute: Double
        /// The time in which an update must reach all devices.
        var seconds: Double
        /// The number of concurrent activities of each device.
        var activities = 1
        /// The provider's answer time in milliseconds.
        var latency = 50.0
        /// The number of streams that the provider allows on a connection.
        var streams = 1000
        /// The number of a gateway's connections to the provider.
        var connections = 8
    }

    /// Measured figures. Times are in microseconds of a core.
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
        /// The share of the ideal throughput that several gateways reach together.
        static let efficiency = 0.96
    }

    /// Two, so that another gateway takes over if one is killed.
    static let fewestGateways = 2
    /// The planned maximum use of a core, and of a master's memory in bytes.
    static let fullestCore = 0.5
    static let largestMaster = 16e9
    /// The factor for fragmentation, buffers and growth.
    static let headroom = 1.25
    /// The time in which the devices of a start report their update tokens.
    static let stormSeconds = 300.0

    let demand: Demand
    /// The push rate that an update needs.
    let pushesPerSecond: Double
    /// The maximum push rate of a gateway, which the provider's streams and answer time limit.
    let pushesPerGateway: Double
    let gateways: Int
    /// The mean number of busy cores of all gateways together.
    let gatewayCores: Double
    /// The number of busy cores of a gateway while it sends.
    let coresWhileSending: Double
    /// The output of a gateway while it sends, in bits a second.
    let bitsPerSecond: Double
    /// Bytes of data, and the memory limit of all masters together.
    let redisBytes: Double
    let redisLimit: Double
    let masters: Int
    /// The number of busy cores of all masters while an update is sent.
    let redisCores: Double
    let redisCommandsPerSecond: Double
    /// The rate of token reports after a start.
    let syncsPerSecond: Double
    let syncGatewayCores: Double
    let syncRedisCores: Double
    /// The time for registering the segment, if it is stored.
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
