import Dispatch
import Glibc
import Reactor

/// The file of an audit log: lines are appended, each in one write, so several processes may share it. It is opened
/// anew when somebody has moved it away, as log rotation does. One that root makes in another user's directory belongs
/// to that user, so that an operator's command does not make one that the gateway cannot write.
///
/// Guarded by a serial queue: what changes is touched there alone.
public final class AuditFile: @unchecked Sendable {
    /// Its name.
    public let path: String
    private let output: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    private let queue = DispatchQueue(label: "fanfare-audit")
    private var descriptor: Int32 = -1
    /// Whether the last line was cut off: the next one begins a line of its own.
    private var isTorn = false

    /// Opened with the first line, or by `open`.
    public convenience init(path: String) {
        self.init(path: path) { Glibc.write($0, $1.baseAddress, $1.count) }
    }

    /// - Parameter output: as `write` does.
    init(path: String, writingBy output: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int) {
        self.path = path
        self.output = output
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens the file, and makes it when there is none. Gives what is wrong, for people, when it cannot be opened.
    public func open() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.reopen()) }
        }
    }

    /// Appends a line, which ends with a line feed. Gives what is wrong, for people, when it could not be written
    /// whole.
    public func append(_ line: [UInt8]) async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.write(line)) }
        }
    }

    private func write(_ line: [UInt8]) -> String? {
        if let problem = reopen() { return problem }
        let bytes = isTorn ? [UInt8(ascii: "\n")] + line : line
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { output(descriptor, UnsafeRawBufferPointer(rebasing: $0[written...])) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = AuditFile.reason()
                isTorn = isTorn || written > 0
                return reason
            }
            written += count
        }
        isTorn = false
        return nil
    }

    /// Opens the file, unless the one that is open is the one of this name.
    private func reopen() -> String? {
        if descriptor >= 0, let named = FileStamp(of: path), let open = FileStamp(ofDescriptor: descriptor),
            named.isSameFile(as: open)
        {
            return nil
        }
        if descriptor >= 0 { close(descriptor) }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC
        descriptor = Glibc.open(path, flags | O_EXCL, 0o600)
        if descriptor >= 0 {
            giveAway()
        } else if errno == EEXIST {
            descriptor = Glibc.open(path, flags, 0o600)
        }
        isTorn = false
        return descriptor >= 0 ? nil : AuditFile.reason()
    }

    /// Whether a file that `user` has made is to be its directory's owner's: what root makes for another user.
    static func isGivenAway(by user: uid_t, toOwnerOfDirectory owner: uid_t) -> Bool { user == 0 && owner != 0 }

    private func giveAway() {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        guard let home = FileStamp(of: String(directory)),
            AuditFile.isGivenAway(by: geteuid(), toOwnerOfDirectory: home.owner)
        else { return }
        // Where that is not allowed whoever cannot write it says so.
        _ = fchown(descriptor, home.owner, home.group)
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
