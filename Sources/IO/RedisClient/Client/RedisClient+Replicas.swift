extension RedisClient {
    /// Records the number of replicas that a single server has. From any thread.
    public func replicasFound(_ count: Int) {
        replicaWait.found(count)
    }

    /// The number of replicas of a single server that a write of `RedisCommand.replicated(within:)` waits for. From any
    /// thread.
    package var replicasToWait: Int { replicaWait.replicas }
}
