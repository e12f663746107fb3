/// The permissions of a file with a secret.
public struct FileRights: Equatable, Sendable {
    /// The nine permission bits for owner, group and others.
    public let mode: UInt32
    /// True if root owns the file. The gateway's user may then read it by the group only, as packages and orchestrators
    /// set it up.
    public let isOfRoot: Bool

    /// Takes a file's mode, of which nine bits count, and its owner's user id.
    public init(mode: UInt32, owner: UInt32) {
        self.mode = mode & 0o777
        isOfRoot = owner == 0
    }

    /// True if others than the owner can read or change the file. A group that root selected may read it.
    public var areOpen: Bool { mode & (isOfRoot ? 0o037 : 0o077) != 0 }

    /// The mode in the form of `chmod`, for example `0644`.
    public var text: String { "0\(String(mode, radix: 8))" }
}
