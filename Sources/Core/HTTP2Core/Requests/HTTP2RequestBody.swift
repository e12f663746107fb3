/// The body of requests: bytes at an address that holds as long as the body does. Immutable.
public final class HTTP2RequestBody: @unchecked Sendable {
    // Written to in `init` only.
    let bytes: UnsafeRawBufferPointer

    /// Copies the bytes.
    public init(_ content: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
        memory.copyBytes(from: content)
        bytes = UnsafeRawBufferPointer(memory)
    }

    /// A copy with a token in front of the byte at `offset`.
    init(
        _ body: HTTP2RequestBody, with token: UnsafeRawBufferPointer, _ spelling: HTTP2RequestTemplate.Spelling,
        at offset: Int
    ) {
        let size = body.bytes.count + spelling.size(token.count)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        if let source = body.bytes.baseAddress {
            spelling.write(token, at: offset, of: source, body.bytes.count, to: memory)
        }
        bytes = UnsafeRawBufferPointer(start: memory, count: size)
    }

    deinit {
        bytes.deallocate()
    }
}
