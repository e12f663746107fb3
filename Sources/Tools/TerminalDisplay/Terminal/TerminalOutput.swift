import Glibc

/// A descriptor that people look at, or a file or pipe in its place.
public struct TerminalOutput: Sendable {
    private let descriptor: Int32

    /// What the program answers goes here.
    public static let standardOutput = TerminalOutput(descriptor: STDOUT_FILENO)
    /// What it says beside that goes here.
    public static let standardError = TerminalOutput(descriptor: STDERR_FILENO)

    /// The descriptor stays the caller's.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The terminal's width now; nil when the output is no terminal.
    public var columns: Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// What may be written here.
    public func style(environment: [String: String]) -> TerminalStyle {
        TerminalStyle(columns: columns, environment: environment)
    }

    /// Writes all of it, and drops the rest when a reader takes nothing for a second: nothing that is shown to people
    /// is worth hanging or failing for. SIGPIPE must be ignored by the process.
    public func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&interest, 1, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return }
            // A pipe that is ready takes this much without blocking (POSIX, PIPE_BUF).
            let part = bytes.prefix(4096)
            let count = part.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN {
                return
            }
        }
    }

    /// Milliseconds.
    private static let patience: Int32 = 1000
}
