import Encodings

/// A request in wire format for one connection, template and length: the HEADERS frame and the DATA frame of a body.
/// The offsets of token, number and stream identifiers are known, so that a request is one copy and a few stores.
struct RequestImage: BitwiseCopyable {
    /// Its bytes; nil for an unused place.
    private(set) var base: UnsafeMutableRawPointer?
    private(set) var count = 0
    /// The HEADERS frame.
    private(set) var headersCount = 0
    /// The body size without an inserted token, in bytes.
    private(set) var bodyCount = 0
    private(set) var template: UInt32 = 0
    /// The rendered length; see `RequestForm.imageLength`.
    private(set) var length = 0
    /// The header table's version at rendering.
    private var version: UInt64 = 0
    /// True if it adds fields to the peer's table. It then serves one request.
    private var isInserting = false
    /// True if `write` suffices for its requests; see `RequestForm`.
    private(set) var isPlain = false
    private var tokenOffset = 0
    /// 0 if the template has no numbered field.
    private var numberOffset = 0
    /// 0 if `content-length` is the same for all requests of the image.
    private var contentLengthOffset = 0

    private static let path = Array(":path".utf8)

    static var none: RequestImage { RequestImage() }

    private init() {}

    /// True if the image is usable for the next request.
    @inline(__always)
    func fits(_ template: UInt32, _ length: Int, _ version: UInt64) -> Bool {
        base != nil && self.template == template && self.length == length && self.version == version
            && !isInserting
    }

    /// Writes a plain request to `target`.
    @inline(__always)
    func write(to target: UnsafeMutableRawPointer, stream: UInt32, token: UnsafeRawPointer?, number: UInt32) {
        target.copyMemory(from: UnsafeRawPointer(base.unsafelyUnwrapped), byteCount: count)
        target.storeBytes(of: stream.bigEndian, toByteOffset: 5, as: UInt32.self)
        if count > headersCount {
            target.storeBytes(of: stream.bigEndian, toByteOffset: headersCount + 5, as: UInt32.self)
        }
        if let token { Hexadecimal.write(token, count: length, to: target + tokenOffset) }
        if numberOffset > 0 { Hexadecimal.write(number, to: target + numberOffset) }
    }

    /// Writes the HEADERS frame of a request of any form to `target`.
    func writeHeaders(
        _ hole: HTTP2RequestTemplate.Hole, to target: UnsafeMutableRawPointer, stream: UInt32,
        token: UnsafeRawBufferPointer, number: UInt32
    ) {
        target.copyMemory(from: UnsafeRawPointer(base.unsafelyUnwrapped), byteCount: headersCount)
        target.storeBytes(of: stream.bigEndian, toByteOffset: 5, as: UInt32.self)
        switch hole {
        case .none: break
        case .path(let spelling): spelling.write(token, to: target + tokenOffset)
        case .body(_, let spelling):
            ContentLength.write(
                bodyCount + spelling.size(token.count), digits: length, to: target + contentLengthOffset)
        }
        if numberOffset > 0 { Hexadecimal.write(number, to: target + numberOffset) }
    }

    /// Writes the DATA frame, if there is one, to `target`.
    func writeBody(
        _ hole: HTTP2RequestTemplate.Hole, to target: UnsafeMutableRawPointer, stream: UInt32,
        token: UnsafeRawBufferPointer
    ) {
        guard count > headersCount else { return }
        let body = UnsafeRawPointer(base.unsafelyUnwrapped) + headersCount + FrameHeader.size
        let content = target + FrameHeader.size
        var size = bodyCount
        if case .body(let offset, let spelling) = hole {
            spelling.write(token, at: offset, of: body, bodyCount, to: content)
            size += spelling.size(token.count)
        } else {
            content.copyMemory(from: body, byteCount: size)
        }
        FrameHeader(length: size, type: FrameType.data, flags: FrameFlag.endStream, stream: stream).write(to: target)
    }

    func deallocate() {
        base?.deallocate()
    }

    /// Renders the template for the next request, and records fields for the peer's table in `table`.
    /// - Parameter length: `RequestForm.imageLength` of the requests.
    init(_ index: UInt32, _ template: HTTP2RequestTemplate, length: Int, table: inout HeaderTable) {
        var block = HeaderBlock()
        var use = TableUse(table)
        if !table.pendingUpdates.isEmpty {
            for size in table.pendingUpdates { block.tableSize(size) }
            use.table.updatesSent()
            isInserting = true
        }
        for field in template.fields {
            switch field {
            case .constant(let name, let value):
                let field = HeaderField(name: name.bytes, value: value)
                if use.append(field, to: &block) { isInserting = true }
            case .secret(let name, let value):
                let field = HeaderField(name: name.bytes, value: value)
                block.neverIndexed(field, nameIndex: use.table.index(ofName: field.name))
            case .path(let prefix, let suffix):
                var size = 0
                if case .path(let spelling) = template.form.hole { size = spelling.size(length) }
                let value = prefix + repeatElement(0, count: size) + suffix
                let field = HeaderField(name: RequestImage.path, value: value)
                block.notIndexed(field, nameIndex: use.table.index(ofName: field.name))
                tokenOffset = FrameHeader.size + block.bytes.count - suffix.count - size
            case .numbered(let name, let prefix):
                let field = HeaderField(name: name.bytes, value: prefix + repeatElement(0, count: 8))
                block.notIndexed(field, nameIndex: use.table.index(ofName: field.name))
                numberOffset = FrameHeader.size + block.bytes.count - 8
            }
        }
        if let body = template.body {
            var isFixed = true
            if case .body = template.form.hole { isFixed = false }
            let digits = isFixed ? ContentLength.digits(body.bytes.count) : length
            var value = [UInt8](repeating: 0, count: digits)
            value.withUnsafeMutableBytes { target in
                guard let base = target.baseAddress else { return }
                ContentLength.write(body.bytes.count, digits: digits, to: base)
            }
            // The length differs between broadcasts, so it is not indexed.
            let field = HeaderField(name: ContentLength.name, value: value)
            block.notIndexed(field, nameIndex: use.table.index(ofName: field.name))
            if !isFixed { contentLengthOffset = FrameHeader.size + block.bytes.count - digits }
        }
        table = use.table
        version = table.version
        self.template = index
        self.length = length
        isPlain = template.form.isPlain
        lay(block.bytes, template.body?.bytes)
    }

    private mutating func lay(_ block: [UInt8], _ body: UnsafeRawBufferPointer?) {
        headersCount = FrameHeader.size + block.count
        bodyCount = body?.count ?? 0
        count = headersCount + (body.map { FrameHeader.size + $0.count } ?? 0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        let flags = FrameFlag.endHeaders | (body == nil ? FrameFlag.endStream : 0)
        FrameHeader(length: block.count, type: FrameType.headers, flags: flags).write(to: memory)
        block.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: memory + FrameHeader.size, count: block.count).copyMemory(from: $0)
        }
        if let body, let source = body.baseAddress {
            FrameHeader(length: body.count, type: FrameType.data, flags: FrameFlag.endStream).write(
                to: memory + headersCount)
            (memory + headersCount + FrameHeader.size).copyMemory(from: source, byteCount: body.count)
        }
        base = memory
    }
}

/// The peer's table during the rendering of one block.
private struct TableUse {
    var table: HeaderTable
    /// The size of the block's own fields, which must not evict each other.
    private var used = 0

    init(_ table: HeaderTable) {
        self.table = table
    }

    /// Returns true if the field changes the peer's table.
    mutating func append(_ field: HeaderField, to block: inout HeaderBlock) -> Bool {
        if StaticTable.index(of: field) == nil { used += field.size }
        if let index = table.index(of: field) {
            block.indexed(index)
            return false
        }
        let nameIndex = table.index(ofName: field.name)
        guard used <= table.capacity else {
            block.notIndexed(field, nameIndex: nameIndex)
            return false
        }
        block.inserted(field, nameIndex: nameIndex)
        table.inserted(field)
        return true
    }
}
