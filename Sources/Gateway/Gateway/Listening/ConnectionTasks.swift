import NIOCore

/// The tasks that answer the requests of a listener's connections, once a connection has sent data. They are children
/// of the task that calls `run`, which must not end before them. Each runs on its connection's event loop to avoid
/// thread switches.
struct ConnectionTasks: Sendable {
    /// Answers the requests of a connection until it ends. It must be called, in a task that may be cancelled.
    typealias Answering = @Sendable () async -> Void

    private struct Begun {
        let executor: EventLoopTaskExecutor
        let answering: Answering
    }

    // At most two for each open connection, whose number is bounded.
    private let begun: AsyncStream<Begun>
    private let beginning: AsyncStream<Begun>.Continuation

    init() {
        (begun, beginning) = AsyncStream.makeStream()
    }

    /// Starts a task for a connection that sends data. From any thread.
    func begin(on eventLoop: any EventLoop, _ answering: @escaping Answering) {
        let connection = Begun(executor: EventLoopTaskExecutor(eventLoop), answering: answering)
        guard case .terminated = beginning.yield(connection) else { return }
        // The server has stopped, but this client had already sent data.
        Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await answering()
        }
    }

    /// Accepts no more connections.
    func finish() { beginning.finish() }

    /// Runs the tasks until no more connections are accepted and the last task has ended.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await connection in begun {
                group.addTask(executorPreference: connection.executor) { await connection.answering() }
            }
        }
    }
}
