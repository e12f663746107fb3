import Glibc

/// Reads and writes whole files with plain system calls.
package enum File {
    /// The maximum length of a file to read, in bytes.
    package static let maximumLength = 16 << 20

    package static func exists(_ path: String) -> Bool {
        access(path, R_OK) == 0
    }

    package static func read(_ path: String) throws(MockError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("read", path) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while content.count <= maximumLength {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return content }
            content += buffer[..<count]
        }
        throw MockError("cannot read \(path): longer than \(maximumLength) bytes")
    }

    /// Replaces the file atomically: a reader sees the old content or the new.
    package static func write(_ content: some Sequence<UInt8>, to path: String, mode: mode_t) throws(MockError) {
        let temporary = "\(path).\(getpid()).new"
        let file = try FileWriter(path: temporary, mode: mode)
        do {
            try file.write(Array(content))
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let error = failure("write", path)
            unlink(temporary)
            throw error
        }
    }

    /// Creates the directory and its missing parents.
    package static func makeDirectory(_ path: String) throws(MockError) {
        var partial = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            partial += part + "/"
            guard partial != "/" else { continue }
            guard mkdir(partial, 0o755) == 0 || errno == EEXIST else { throw failure("make the directory", path) }
        }
    }

    package static func absolutePath(_ path: String) throws(MockError) -> String {
        guard let resolved = realpath(path, nil) else { throw failure("find", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func failure(_ doing: String, _ path: String) -> MockError {
        let number = errno
        return MockError("cannot \(doing) \(path): \(strerror(number).map { String(cString: $0) } ?? "error")")
    }
}

/// Writes a new file from its beginning. The object closes the descriptor when it is released.
final class FileWriter {
    private let descriptor: Int32
    private let path: String

    init(path: String, mode: mode_t) throws(MockError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw File.failure("write", path) }
        // An existing file would keep its mode.
        fchmod(descriptor, mode)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ content: [UInt8]) throws(MockError) {
        var written = 0
        while written < content.count {
            let count = content.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw File.failure("write", path) }
            written += count
        }
    }
}
