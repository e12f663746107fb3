import CNghttp2
import Testing

@testable import HTTP2Core

@Suite("Header blocks")
struct HeaderBlockTests {
    @Test(
        "integers are right at the limits of their prefixes (RFC 7541, section 5.1)",
        arguments: [
            (0, [0x20]), (10, [0x2A]), (30, [0x3E]), (31, [0x3F, 0x00]), (32, [0x3F, 0x01]), (158, [0x3F, 0x7F]),
            (159, [0x3F, 0x80, 0x01]), (1_337, [0x3F, 0x9A, 0x0A]), (4_096, [0x3F, 0xE1, 0x1F]),
            (16_414, [0x3F, 0xFF, 0x7F]), (16_415, [0x3F, 0x80, 0x80, 0x01]),
        ] as [(Int, [UInt8])])
    func sizes(_ size: Int, _ bytes: [UInt8]) {
        var block = HeaderBlock()
        block.tableSize(size)
        #expect(block.bytes == bytes)
    }

    @Test("the kinds of fields begin with their patterns, also where the index does not fit into the prefix")
    func patterns() {
        let field = HeaderField(name: [0x61], value: [0x62])
        func bytes(_ make: (inout HeaderBlock) -> Void) -> [UInt8] {
            var block = HeaderBlock()
            make(&block)
            return block.bytes
        }
        #expect(bytes { $0.indexed(1) } == [0x81])
        #expect(bytes { $0.indexed(126) } == [0xFE])
        #expect(bytes { $0.indexed(127) } == [0xFF, 0x00])
        #expect(bytes { $0.inserted(field, nameIndex: nil) } == [0x40, 1, 0x61, 1, 0x62])
        #expect(bytes { $0.inserted(field, nameIndex: 62) } == [0x7E, 1, 0x62])
        #expect(bytes { $0.inserted(field, nameIndex: 63) } == [0x7F, 0, 1, 0x62])
        #expect(bytes { $0.notIndexed(field, nameIndex: 14) } == [0x0E, 1, 0x62])
        #expect(bytes { $0.notIndexed(field, nameIndex: 15) } == [0x0F, 0, 1, 0x62])
        #expect(bytes { $0.neverIndexed(field, nameIndex: nil) } == [0x10, 1, 0x61, 1, 0x62])
        #expect(bytes { $0.neverIndexed(field, nameIndex: 23) } == [0x1F, 8, 1, 0x62])
    }

    @Test("strings of all lengths around the prefixes' limits are decoded by libnghttp2")
    func strings() {
        var inflater: OpaquePointer?
        nghttp2_hd_inflate_new(&inflater)
        defer { nghttp2_hd_inflate_del(inflater) }
        for length in [0, 1, 126, 127, 128, 129, 254, 255, 256, 16_000] {
            let value = [UInt8](repeating: 0x76, count: length)
            var block = HeaderBlock()
            block.notIndexed(HeaderField(name: Array("x-name".utf8), value: value), nameIndex: nil)
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let count = nghttp2_hd_inflate_hd2(inflater, &field, &flags, block.bytes, block.bytes.count, 1)
            #expect(count == block.bytes.count && field.valuelen == length && field.namelen == 6)
            nghttp2_hd_inflate_end_headers(inflater)
        }
    }

    @Test("a peer that says nothing of its table's size is decoded as well, and one that says so in each block")
    func sizeUpdates() {
        let inflater = HeaderInflater()
        for block in [[0x8C], [0x20, 0x8C], [0x20, 0x20, 0x88], [0x8C], []] as [[UInt8]] {
            var count = 0
            let isDecoded = block.withUnsafeBytes { inflater.inflate($0) { _, _ in count += 1 } }
            #expect(isDecoded && count == (block.isEmpty ? 0 : 1))
        }
        let isDecoded = [0x21 as UInt8].withUnsafeBytes { inflater.inflate($0) { _, _ in } }
        #expect(!isDecoded)
    }
}
