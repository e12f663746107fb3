import Encodings

extension HTTP2RequestTemplate {
    /// The encoding of a token in a request.
    public enum Spelling: Hashable, Sendable, BitwiseCopyable {
        /// Two lower-case hex digits for each byte.
        case hexadecimal
        /// Unchanged bytes. The caller escapes them if required.
        case verbatim

        /// The encoded size of a token of `count` bytes.
        func size(_ count: Int) -> Int { self == .hexadecimal ? count * 2 : count }

        func write(_ token: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
            guard let source = token.baseAddress else { return }
            switch self {
            case .hexadecimal: Hexadecimal.write(source, count: token.count, to: target)
            case .verbatim: target.copyMemory(from: source, byteCount: token.count)
            }
        }

        /// Writes `count` bytes of `source`, with the token inserted at `offset`.
        func write(
            _ token: UnsafeRawBufferPointer, at offset: Int, of source: UnsafeRawPointer, _ count: Int,
            to target: UnsafeMutableRawPointer
        ) {
            target.copyMemory(from: source, byteCount: offset)
            write(token, to: target + offset)
            (target + offset + size(token.count)).copyMemory(from: source + offset, byteCount: count - offset)
        }
    }
}
