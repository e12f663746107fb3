import Glibc
import Reactor
import TLS

extension RedisTLS {
    /// A context that was made of files, and how these were then.
    private struct Made {
        let context: TLSContext
        let stamps: [FileStamp?]
    }

    /// All that are in use, of all clients.
    private static let made = Locked<[RedisTLS: Made]>([:])

    /// The context for the next connection, made anew when one of the files has changed: what is renewed on the disk
    /// counts from the next connection on. Files that cannot be used, as while they are being replaced, leave the one
    /// before them in use. The system's roots are read once.
    func context() throws(TLSError) -> TLSContext {
        let stamps = [caFile, certificateFile, keyFile].map { $0.flatMap { FileStamp(of: $0) } }
        let known = RedisTLS.made.withLock { $0[self] }
        if let known, known.stamps == stamps { return known.context }
        do {
            let context = try TLSContext.client(
                trust: caFile.map { .file($0) } ?? .system, applicationProtocol: nil, identity: identity)
            RedisTLS.made.withLock { $0[self] = Made(context: context, stamps: stamps) }
            return context
        } catch {
            guard let known else { throw error }
            return known.context
        }
    }

    private var identity: TLSContext.Identity? {
        guard let certificateFile, let keyFile else { return nil }
        return TLSContext.Identity(certificateChainFile: certificateFile, privateKeyFile: keyFile)
    }
}
