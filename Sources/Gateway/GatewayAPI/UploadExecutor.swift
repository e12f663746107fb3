import Dispatch

/// Runs the work on uploaded lists on one thread. However many uploads there are, the other threads stay free for
/// short calls.
final class UploadExecutor: TaskExecutor {
    static let shared = UploadExecutor()

    private let queue = DispatchQueue(label: "uploads")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
