import Glibc

/// Which file there is, and by which it is seen that it has changed.
///
/// For whoever is built on NIO this is the way to ask: its C module brings a `stat` of its own, and which one Swift
/// means then depends on the file that it happens to compile first.
public struct FileStamp: Equatable, Sendable {
    /// Who may do what with it; a change of this alone is none of the file.
    public let permissions: UInt32
    /// The number of the user whose it is; a change of this alone is none of the file either.
    public let owner: UInt32
    /// The number of the group whose it is.
    public let group: UInt32
    private let device: UInt64
    private let file: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Of the file that a path leads to now; nil when there is none.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of the file that is open as a descriptor; nil when none is.
    public init?(ofDescriptor descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        permissions = status.st_mode & 0o777
        owner = status.st_uid
        group = status.st_gid
        device = UInt64(status.st_dev)
        file = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// Whether it is the same file, whatever has been written to it.
    public func isSameFile(as other: FileStamp) -> Bool { device == other.device && file == other.file }

    public static func == (one: FileStamp, other: FileStamp) -> Bool {
        one.isSameFile(as: other) && one.size == other.size && one.seconds == other.seconds
            && one.nanoseconds == other.nanoseconds
    }
}
