import NIOCore

/// The tasks that answer the requests of a listener's connections, one for each that has said something. They are
/// children of the task that runs this, which has to go on until all of them are over. Each runs on its connection's
/// event loop, so that a small call goes through few hands.
struct ConnectionTasks: Sendable {
    /// What answers the requests of a connection, until it ends. It has to be called, in a task that may be cancelled.
    typealias Answering = @Sendable () async -> Void

    private struct Begun {
        let executor: EventLoopTaskExecutor
        let answering: Answering
    }

    // At most one of each open connection, which are bounded.
    private let begun: AsyncStream<Begun>
    private let beginning: AsyncStream<Begun>.Continuation

    init() {
        (begun, beginning) = AsyncStream.makeStream()
    }

    /// A connection speaks. From any thread.
    func begin(on eventLoop: any EventLoop, _ answering: @escaping Answering) {
        let connection = Begun(executor: EventLoopTaskExecutor(eventLoop), answering: answering)
        guard case .terminated = beginning.yield(connection) else { return }
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
            for await connection in begun {
                group.addTask(executorPreference: connection.executor) { await connection.answering() }
            }
        }
    }
}
