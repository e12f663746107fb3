import Glibc

/// A file with a private key in any form.
public enum PrivateKeyFile {
    /// The maximum size that is read, in bytes.
    static let limit = 65_536

    /// Returns the file's content, at most 65,536 bytes. The error is for an operator.
    public static func read(_ path: String) throws(PrivateKey.Unusable) -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO could block forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw PrivateKey.Unusable(reason: strerror(errno).map { String(cString: $0) } ?? "cannot be opened")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = fdopen(descriptor, "r")
        else {
            close(descriptor)
            throw PrivateKey.Unusable(reason: "it is no regular file")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw PrivateKey.Unusable(reason: "it cannot be read") }
        guard count > 0 else { throw PrivateKey.Unusable(reason: "it is empty") }
        return Array(bytes.prefix(count))
    }
}
