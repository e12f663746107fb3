import Glibc

/// The identity and version of a file. It detects changes.
///
/// Modules on top of NIO must use it, because NIO's C module declares another `stat`. Which of the two Swift selects
/// depends on the order of compilation.
public struct FileStamp: Equatable, Sendable {
    /// The permission bits. Their change alone does not count as a change.
    public let permissions: UInt32
    /// The id of the owning user. Its change alone does not count as a change.
    public let owner: UInt32
    /// The id of the owning group. Its change alone does not count as a change.
    public let group: UInt32
    private let device: UInt64
    private let file: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The present file at a path; nil if there is none.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file of an open descriptor; nil if the descriptor is invalid.
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

    /// True if it is the same file, even with other content.
    public func isSameFile(as other: FileStamp) -> Bool { device == other.device && file == other.file }

    public static func == (one: FileStamp, other: FileStamp) -> Bool {
        one.isSameFile(as: other) && one.size == other.size && one.seconds == other.seconds
            && one.nanoseconds == other.nanoseconds
    }
}
