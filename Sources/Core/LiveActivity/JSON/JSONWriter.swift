/// Writes small JSON texts. Members keep the order in which they are given; there is no white space.
///
///     JSONWriter.object {
///         $0.field("status", "success")
///         $0.object("skipped") { $0.field("no_device", 3) }
///     }
public enum JSONWriter {
    /// The text of an object with the members that the closure gives.
    public static func object<Failure: Error>(
        _ fill: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var sequence = JSONSequenceWriter()
        try sequence.object(fill)
        return sequence.bytes
    }

    /// The text of an array with the elements that the closure gives.
    public static func array<Failure: Error>(
        _ fill: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var sequence = JSONSequenceWriter()
        try sequence.array(fill)
        return sequence.bytes
    }
}

/// Takes the members of an object. Names are not checked for being given twice.
public struct JSONObjectWriter {
    fileprivate var sequence: JSONSequenceWriter

    /// A member with a string, number, truth value, or array of them. Nil leaves the member out.
    public mutating func field(_ name: String, _ value: (some JSONWritable)?) {
        guard let value else { return }
        begin(name)
        value.write(to: &sequence.bytes)
    }

    /// A member with a string. Nil leaves the member out.
    public mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        JSONText.appendQuoted(value, to: &sequence.bytes)
    }

    /// A member whose value is JSON already, which is written as it is.
    public mutating func raw(_ name: String, _ json: some Sequence<UInt8>) {
        begin(name)
        sequence.bytes += json
    }

    /// A member with an object.
    public mutating func object<Failure: Error>(
        _ name: String, _ fill: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try sequence.object(fill)
    }

    /// A member with an array.
    public mutating func array<Failure: Error>(
        _ name: String, _ fill: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try sequence.array(fill)
    }

    private mutating func begin(_ name: String) {
        sequence.separate()
        JSONText.appendQuoted(name, to: &sequence.bytes)
        sequence.bytes.append(UInt8(ascii: ":"))
    }
}

/// Takes the elements of an array.
public struct JSONArrayWriter {
    fileprivate var sequence: JSONSequenceWriter

    /// A string, number, truth value, or array of them.
    public mutating func element(_ value: some JSONWritable) {
        sequence.separate()
        value.write(to: &sequence.bytes)
    }

    /// JSON already, which is written as it is.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        sequence.separate()
        sequence.bytes += json
    }

    /// An object as an element.
    public mutating func object<Failure: Error>(
        _ fill: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        sequence.separate()
        try sequence.object(fill)
    }

    /// An array as an element.
    public mutating func array<Failure: Error>(
        _ fill: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        sequence.separate()
        try sequence.array(fill)
    }
}

/// The text so far. Moved into the writer of an inner container and back, never copied.
private struct JSONSequenceWriter {
    var bytes: [UInt8] = []

    /// A comma, unless the container has just begun: no finished value ends in an opening bracket or brace.
    mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    mutating func object<Failure: Error>(
        _ fill: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append(UInt8(ascii: "{"))
        var writer = JSONObjectWriter(sequence: take())
        defer { self = writer.sequence }
        try fill(&writer)
        writer.sequence.bytes.append(UInt8(ascii: "}"))
    }

    mutating func array<Failure: Error>(
        _ fill: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append(UInt8(ascii: "["))
        var writer = JSONArrayWriter(sequence: take())
        defer { self = writer.sequence }
        try fill(&writer)
        writer.sequence.bytes.append(UInt8(ascii: "]"))
    }

    private mutating func take() -> JSONSequenceWriter {
        var taken = JSONSequenceWriter()
        swap(&taken, &self)
        return taken
    }
}
