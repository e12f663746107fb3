/// Parses an insider_id from each line of newline-delimited JSON: a string, or an object with the member `insider_id`.
/// Keeps at most one line.
struct JSONLines {
    /// The maximum length of a line, in bytes.
    static let maximumLineLength = 64 * 1024

    private var line: [UInt8] = []

    mutating func take(_ byte: UInt8, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        guard byte != UInt8(ascii: "\n") else { return try endLine(into: &run) }
        guard line.count < JSONLines.maximumLineLength else {
            throw InsiderIDFailure(.longLine(maximum: JSONLines.maximumLineLength))
        }
        line.append(byte)
    }

    mutating func finish(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        try endLine(into: &run)
    }

    private mutating func endLine(into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if let id = plainString {
            try add(id, into: &run)
            return
        }
        guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return }
        try add(try parsedID()[...], into: &run)
    }

    private func add(_ id: ArraySlice<UInt8>, into run: inout InsiderIDRun) throws(InsiderIDFailure) {
        guard !id.isEmpty else { throw InsiderIDFailure(.emptyID) }
        guard id.count <= DeviceKey.maximumLength else { throw InsiderIDFailure(.longID) }
        guard !id.contains(0) else { throw InsiderIDFailure(.zeroByte) }
        guard !DeviceKey.isDotSegment(id) else { throw InsiderIDFailure(.dotSegment) }
        run.append(id)
    }

    /// The content of a line that is one string without escapes; nil for any other line. It bypasses the JSON parser
    /// for most lines, whose bytes are already checked to be UTF-8.
    private var plainString: ArraySlice<UInt8>? {
        guard line.count >= 2, line.first == UInt8(ascii: "\""), line.last == UInt8(ascii: "\"") else { return nil }
        let content = line[1..<(line.count - 1)]
        let isPlain = content.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        return isPlain ? content : nil
    }

    private func parsedID() throws(InsiderIDFailure) -> [UInt8] {
        let id: [UInt8]?
        do throws(JSONSyntaxError) {
            let root = try JSONDocument(parsing: line).root
            id = try root.kind == .object ? root.member("insider_id")?.unescapedBytes : root.unescapedBytes
        } catch {
            throw InsiderIDFailure(.json(error))
        }
        guard let id else { throw InsiderIDFailure(.noID) }
        return id
    }
}
