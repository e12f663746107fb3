import Glibc

/// By which it is seen that a file has changed, or that another one is in its place.
public struct FileStamp: Equatable, Sendable {
    /// Who may do what with it; a change of this alone is none of the file.
    public let permissions: UInt32
    private let device: UInt64
    private let file: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Of the file that a path leads to now; nil when there is none.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        permissions = status.st_mode & 0o777
        device = UInt64(status.st_dev)
        file = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    public static func == (one: FileStamp, other: FileStamp) -> Bool {
        one.device == other.device && one.file == other.file && one.size == other.size
            && one.seconds == other.seconds && one.nanoseconds == other.nanoseconds
    }
}
