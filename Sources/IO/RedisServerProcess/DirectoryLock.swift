import Glibc

/// Keeps other processes off a directory. The kernel gives the lock back when this process ends, however it ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Nil when another process, or another object in this one, has the lock.
    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit {
        close(descriptor)
    }
}
