/// Receives the progress of a load test. Called on any thread.
public protocol LoadObserver: Sendable {
    /// - Parameter total: The expected number of calls; nil if unknown.
    func began(_ step: String, total: Int?)
    func progressed(_ step: String, done: Int)
    func ended(_ step: String, note: String)
}

extension LoadObserver {
    /// Reports the progress of a step ten times a second while it runs.
    func watching<Result>(
        _ step: String, total: Int?, _ control: LoadControl, _ body: () async throws -> Result
    ) async throws -> Result {
        began(step, total: total)
        let watch = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                progressed(step, done: control.callsEnded)
            }
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        watch.cancel()
        await watch.value
        if case .success = result {
            progressed(step, done: control.callsEnded)
            ended(step, note: control.isStopped ? "stopped early" : "calls ended")
        }
        return try result.get()
    }
}
