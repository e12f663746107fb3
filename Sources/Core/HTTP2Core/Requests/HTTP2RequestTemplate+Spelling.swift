import Encodings

extension HTTP2RequestTemplate {
    /// How a token is written into its place.
    public enum Spelling: Hashable, Sendable, BitwiseCopyable {
        /// Two lower-case hex digits for each byte.
        case hexadecimal
        /// As it is, with nothing escaped: whoever gives it sees to it that it fits there.
        case verbatim

        /// The bytes that a token of so many takes.
        func size(_ count: Int) -> Int { self == .hexadecimal ? count * 2 : count }

        func write(_ token: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
            guard let source = token.baseAddress else { return }
            switch self {
            case .hexadecimal: Hexadecimal.write(source, count: token.count, to: target)
            case .verbatim: target.copyMemory(from: source, byteCount: token.count)
            }
        }

        /// Writes `count` bytes of `source` with the token in front of the one at `offset`.
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
