// Feeds arbitrary bytes to the JSON reader, coverage-guided. On Linux, from the package's root:
//
//     make fuzz
//
// New inputs are kept in the first folder. The process ends with an error on the first finding and leaves the input
// in a file under .build.

import LiveActivity

/// Called once for each input. A trap is a finding; so is an accepted text whose parts contradict each other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do {
        try visit(JSONDocument(parsing: bytes).root, within: bytes)
    } catch {
        precondition((0...count).contains(error.offset), "offset \(error.offset) of \(count) bytes: \(error)")
    }
    return 0
}

/// Reads everything that can be read of a value. The slice of each has to be a document of its own.
private func visit(_ value: JSONValue, within bytes: [UInt8]) throws(JSONSyntaxError) {
    precondition(value.slice == bytes[value.byteRange])
    switch value.kind {
    case .string:
        precondition(value.unescapedBytes == value.string.map { Array($0.utf8) })
    case .number:
        if let integer = value.int64 { precondition(value.double == Double(integer)) }
    case .array:
        var count = 0
        for element in value.elements {
            try visit(element, within: bytes)
            count += 1
        }
        precondition(value.elementCount == count)
    case .object:
        _ = try? value.members(["", "content", "\u{E9}"])
    case .true, .false:
        precondition(value.bool != nil)
    case .null:
        precondition(value.bool == nil && value.string == nil)
    }
    precondition((try? JSONDocument(parsing: Array(value.slice)))?.root.kind == value.kind)
}
