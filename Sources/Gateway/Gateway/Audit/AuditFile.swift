import Dispatch
import Glibc
import Reactor

/// The file of an audit log. Each line is appended in one write, so that several processes can share the file. The file
/// is opened again after log rotation has moved it. If root creates the file in another user's directory, that user
/// becomes its owner. Otherwise the gateway could not write to a file that an operator's command created.
///
/// Guarded by a serial queue.
public final class AuditFile: @unchecked Sendable {
    /// The path of the file.
    public let path: String
    private let output: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    private let queue = DispatchQueue(label: "fanfare-audit")
    private var descriptor: Int32 = -1
    /// True if the last line is incomplete. The next write then starts a new line.
    private var isTorn = false

    /// Opens the file with the first line; see `open`.
    public convenience init(path: String) {
        self.init(path: path) { Glibc.write($0, $1.baseAddress, $1.count) }
    }

    /// - Parameter output: A replacement for `write`.
    init(path: String, writingBy output: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int) {
        self.path = path
        self.output = output
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens or creates the file. Returns an error text for operators, or nil.
    public func open() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.reopen()) }
        }
    }

    /// Appends a line, which must end with a line feed. Returns an error text for operators unless the whole line was
    /// written.
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

    /// Opens the file unless the open one still has this path.
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

    /// True if root created a file in another user's directory. The file then belongs to that user.
    static func isGivenAway(by user: uid_t, toOwnerOfDirectory owner: uid_t) -> Bool { user == 0 && owner != 0 }

    private func giveAway() {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        guard let home = FileStamp(of: String(directory)),
            AuditFile.isGivenAway(by: geteuid(), toOwnerOfDirectory: home.owner)
        else { return }
        // A failure needs no report here. A process that cannot write to the file reports that.
        _ = fchown(descriptor, home.owner, home.group)
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
