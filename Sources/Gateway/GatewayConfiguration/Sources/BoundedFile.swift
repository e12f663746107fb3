import Glibc
public import Secrets

/// Reads small files from the disk.
public enum BoundedFile {
    /// The result of reading a file.
    public enum Outcome {
        /// The bytes and the permissions of the file.
        case contents([UInt8], FileRights)
        /// There is no file of this name.
        case missing
        /// The reason for the refusal, as a clause that follows the file's name.
        case refused(String)
    }

    /// Reads a whole file. Blocks the calling thread. Refuses a file larger than `limit` bytes.
    /// - Parameter mayBePipe: True to read a pipe as well, like that of a shell's process substitution. False accepts
    ///   only regular files, because a pipe without a writer would block.
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
