import Glibc
import Reactor
import TLS

extension RedisTLS {
    /// A context with the file stamps at its creation.
    private struct Made {
        let context: TLSContext
        let stamps: [FileStamp?]
    }

    /// All contexts in use, of all clients.
    private static let made = Locked<[RedisTLS: Made]>([:])

    /// Returns the context for the next connection. It is rebuilt after one of the files has changed, so renewed files
    /// take effect from the next connection. While files are unusable, for example during a replacement, the last
    /// context stays in use. The system's roots are read once.
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
