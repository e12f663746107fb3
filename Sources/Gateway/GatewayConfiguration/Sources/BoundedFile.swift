import Glibc
public import Secrets

/// A small file as it is on the disk.
public enum BoundedFile {
    /// What was found.
    public enum Outcome {
        /// The bytes, and who may read them.
        case contents([UInt8], FileRights)
        /// There is none of this name.
        case missing
        /// A clause that follows the file's name.
        case refused(String)
    }

    /// Reads a file to its end; the calling thread waits for the disk. A longer one than `limit` bytes is refused.
    /// - Parameter mayBePipe: whether what a shell makes of a command's output is read as well. Else only a regular
    ///   file is: a pipe may have nobody at its other end, and would be waited for.
    public static func read(_ path: String, limit: Int, mayBePipe: Bool = false) -> Outcome {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (mayBePipe ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else {
            let code = errno
            return code == ENOENT || code == ENOTDIR ? .missing : .refused("can't be read (\(words(code)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .refused("can't be read (\(words(errno)))") }
        guard status.st_mode & S_IFMT != S_IFDIR else { return .refused("is a directory") }
        guard mayBePipe || status.st_mode & S_IFMT == S_IFREG else { return .refused("is not a regular file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return .contents(bytes, FileRights(mode: status.st_mode, owner: status.st_uid)) }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                return .refused("can't be read (\(words(errno)))")
            }
        }
        return .refused("is larger than \(limit) bytes")
    }

    private static func words(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
