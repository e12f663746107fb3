// Feeds arbitrary bytes to the reader of the PROXY protocol's headers, coverage-guided: see JSONFuzz.swift.

import ConnectionCore
import Encodings

/// Called once for each input. A trap is a finding; so is a header that depends on how its bytes were cut, that takes
/// more bytes than there are, or that is read again from what follows it.
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
    // The chain of a proxy, with whatever it may hold.
    let text = String(decoding: bytes, as: UTF8.self)
    let proxies = TrustedProxies([AddressBlock("10.0.0.0/8")].compactMap { $0 })
    if let peer = IPAddress("10.0.0.1") { _ = proxies.client(peer, forwardedFor: [text, text]) }
    return 0
}
