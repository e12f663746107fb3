import Glibc

/// Sees to it that nobody but their owner reads what a private Redis server keeps: what it makes anew is made so, and
/// what others have left with wider rights is narrowed. The directory itself may hold other things, and stays as it is.
enum PrivateFiles {
    /// What a server has in its directory, and of what lies in the directories among them everything is the server's.
    static let names = [
        "redis.sock", "redis.log", "redis.lock", "dump.rdb", "nodes.conf", "appendonly.aof", "appendonlydir",
    ]

    /// For files of a process that is started.
    static let mask: mode_t = 0o077

    /// Throws when anybody may put files into the directory, or when somebody else has put there what a server would
    /// read.
    static func protect(_ directory: String) throws(RedisServerError) {
        try check(directory)
        for name in names { try narrow("\(directory)/\(name)") }
    }

    /// As `protect`, without changing anything.
    /// - Parameter names: whose owners are looked at.
    static func check(_ directory: String, names: [String] = PrivateFiles.names) throws(RedisServerError) {
        var own = stat()
        guard stat(directory, &own) == 0, own.st_mode & S_IFMT == S_IFDIR else {
            throw .unusableDirectory("\(directory) is not a directory")
        }
        // In one like /tmp nobody takes away what is another's, but anybody may be there first.
        guard own.st_mode & S_IWOTH == 0 else {
            throw .unusableDirectory("every user can write to \(directory); run: chmod o-w \(directory)")
        }
        for name in names { try checkOwners("\(directory)/\(name)", in: own) }
    }

    private static func checkOwners(_ path: String, in directory: stat) throws(RedisServerError) {
        try checkOwner(path, in: directory)
        guard let status = status(path), status.st_mode & S_IFMT == S_IFDIR else { return }
        for name in contents(path) { try checkOwners("\(path)/\(name)", in: directory) }
    }

    /// Whether a file may be used that belongs to `owner`: to this user or to root. What root does it may do in another
    /// user's directory, with that user's files.
    static func isTrusted(_ owner: uid_t, by user: uid_t, inDirectoryOf directoryOwner: uid_t) -> Bool {
        owner == user || owner == 0 || user == 0 && owner == directoryOwner
    }

    private static func checkOwner(_ path: String, in directory: stat) throws(RedisServerError) {
        guard let owner = status(path)?.st_uid else { return }
        guard !isTrusted(owner, by: geteuid(), inDirectoryOf: directory.st_uid) else { return }
        throw .unusableDirectory("\(path) belongs to another user (\(owner)); find out who put it there, and why")
    }

    private static func narrow(_ path: String) throws(RedisServerError) {
        guard let status = status(path) else { return }
        let kind = status.st_mode & S_IFMT
        // A link leads to what may be somebody else's.
        guard kind == S_IFREG || kind == S_IFDIR || kind == S_IFSOCK else { return }
        if status.st_mode & mask != 0, chmod(path, status.st_mode & 0o7777 & ~mask) != 0 {
            throw .unusableDirectory("\(path) is open to others, and stays so: \(String(cString: strerror(errno)))")
        }
        if kind == S_IFDIR { for name in contents(path) { try narrow("\(path)/\(name)") } }
    }

    /// Of the file itself where it is a link; nil when there is none.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private static func contents(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
