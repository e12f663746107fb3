import Glibc

/// A file descriptor of a terminal, file or pipe.
public struct TerminalOutput: Sendable {
    private let descriptor: Int32

    /// The standard output, for results.
    public static let standardOutput = TerminalOutput(descriptor: STDOUT_FILENO)
    /// The standard error, for progress and diagnostics.
    public static let standardError = TerminalOutput(descriptor: STDERR_FILENO)

    /// The caller keeps ownership of the descriptor.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The current width of the terminal; nil if the output is not a terminal.
    public var columns: Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns the style of this output.
    public func style(environment: [String: String]) -> TerminalStyle {
        TerminalStyle(columns: columns, environment: environment)
    }

    /// Writes the text. Drops the rest after an error, or if a reader accepts nothing for a second, because progress
    /// must never block the program. The process must ignore SIGPIPE.
    public func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&interest, 1, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return }
            // A writable pipe accepts this many bytes without blocking (POSIX, PIPE_BUF).
            let part = bytes.prefix(4096)
            let count = part.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN {
                return
            }
        }
    }

    /// In milliseconds.
    private static let patience: Int32 = 1000
}
