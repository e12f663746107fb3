// Feeds arbitrary bytes to the parser of PROXY protocol headers, guided by coverage: see JSONFuzz.swift.

import ConnectionCore
import Encodings

/// Called once for each input. Traps if a header depends on the cuts of its bytes or on bytes behind it, or exceeds the
/// input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = ProxyHeader.read(bytes)
    var first = ProxyHeader.Reading.incomplete
    for count in 0...bytes.count {
        first = ProxyHeader.read(bytes.prefix(count))
        if first != .incomplete { break }
    }
    precondition(first == whole)
    if case .complete(let header) = whole {
        precondition(header.length <= bytes.count && header.length <= ProxyHeader.maximumLength)
        precondition(ProxyHeader.read(bytes.prefix(header.length)) == whole)
    } else if case .incomplete = whole {
        precondition(bytes.count < ProxyHeader.maximumLength)
    }
    // Arbitrary text in the chain of a proxy.
    let text = String(decoding: bytes, as: UTF8.self)
    let proxies = TrustedProxies([AddressBlock("10.0.0.0/8")].compactMap { $0 })
    if let peer = IPAddress("10.0.0.1") { _ = proxies.client(peer, forwardedFor: [text, text]) }
    return 0
}
