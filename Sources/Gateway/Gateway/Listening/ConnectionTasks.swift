/// The tasks that answer the requests of a listener's connections, one for each that has said something. They are children
/// of the task that runs this, which has to go on until all of them are over.
struct ConnectionTasks: Sendable {
    /// What answers the requests of a connection, until it ends. It has to be called, in a task that may be cancelled.
    typealias Answering = @Sendable () async -> Void

    // At most one of each open connection, which are bounded.
    private let begun: AsyncStream<Answering>
    private let beginning: AsyncStream<Answering>.Continuation

    init() {
        (begun, beginning) = AsyncStream.makeStream()
    }

    /// A connection speaks. From any thread.
    func begin(_ answering: @escaping Answering) {
        guard case .terminated = beginning.yield(answering) else { return }
        // The server has ended, and the client had sent something already.
        Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await answering()
        }
    }

    /// No more connections are accepted.
    func finish() { beginning.finish() }

    /// Until no more connections are accepted and the last task is over.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await answering in begun { group.addTask { await answering() } }
        }
    }
}
