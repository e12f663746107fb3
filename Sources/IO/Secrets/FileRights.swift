/// Who may do what with a file that holds a secret.
public struct FileRights: Equatable, Sendable {
    /// The nine bits of its mode for its owner, its group and others.
    public let mode: UInt32
    /// Whether it is root's. A gateway's user may then read it by its group alone, as packages and orchestrators set it
    /// up.
    public let isOfRoot: Bool

    /// Of the file's mode, whose other bits are passed over, and the number of its owner.
    public init(mode: UInt32, owner: UInt32) {
        self.mode = mode & 0o777
        isOfRoot = owner == 0
    }

    /// Whether others than its owner, or than the group that root gave it to, can read or change it.
    public var areOpen: Bool { mode & (isOfRoot ? 0o037 : 0o077) != 0 }

    /// The mode as `chmod` takes it, such as `0644`.
    public var text: String { "0\(String(mode, radix: 8))" }
}
