import LiveActivity
public import Logging
import TimeCore

/// An object a line, for programs: `time`, `level`, `label`, `message`, and `metadata`, an object of texts, lists and objects.
/// Whatever is logged, a line is valid JSON and one line.
public struct JSONLogHandler: LogHandler {
    /// Which part logs; a field of each line.
    public let label: String
    /// The least level that is written.
    public var logLevel = Logger.Level.info
    /// Fields that each line has. Those of the provider go over them, and those of the line over both.
    public var metadata: Logger.Metadata = [:]
    /// Asked for further fields at each line; nil for none.
    public var metadataProvider: Logger.MetadataProvider?
    private let output: @Sendable ([UInt8]) -> Void

    /// - Parameter output: gets each line with its line feed at the end, in one call. From any thread.
    public init(label: String, output: @escaping @Sendable ([UInt8]) -> Void) {
        self.label = label
        self.output = output
    }

    /// A field of `metadata`.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line, at once and on the caller's thread.
    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        // It is the server's own number of the request, beside the one that everybody else knows it by.
        if all["request_id"] != nil { all["hb.request.id"] = nil }
        var line = JSONWriter.object { writer in
            writer.field("time", WallTime.now().rfc3339)
            writer.field("level", event.level.rawValue)
            writer.field("label", label)
            writer.field("message", event.message.description)
            if !all.isEmpty { writer.object("metadata") { JSONLogHandler.write(all, to: &$0) } }
        }
        line.append(UInt8(ascii: "\n"))
        output(line)
    }

    private static func write(_ metadata: Logger.Metadata, to writer: inout JSONObjectWriter) {
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .dictionary(let inner): writer.object(key) { write(inner, to: &$0) }
            case .array(let elements): writer.array(key) { write(elements, to: &$0) }
            case .string, .stringConvertible: writer.field(key, value.description)
            }
        }
    }

    private static func write(_ elements: [Logger.MetadataValue], to writer: inout JSONArrayWriter) {
        for element in elements {
            switch element {
            case .dictionary(let inner): writer.object { write(inner, to: &$0) }
            case .array(let inner): writer.array { write(inner, to: &$0) }
            case .string, .stringConvertible: writer.element(element.description)
            }
        }
    }
}
