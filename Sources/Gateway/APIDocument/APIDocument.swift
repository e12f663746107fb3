import CAPIDocument

/// The description of the HTTP API in OpenAPI 3.1, which is part of the executable.
public struct APIDocument: Sendable {
    let root: DocumentValue

    /// The description as in the source tree: YAML, UTF-8.
    public static var yaml: [UInt8] {
        Array(UnsafeBufferPointer(start: api_document_bytes(), count: api_document_length()))
    }

    static var style: [UInt8] {
        Array(UnsafeBufferPointer(start: api_document_style_bytes(), count: api_document_style_length()))
    }

    /// Parses the text, which takes tens of milliseconds. Throws for invalid YAML.
    public init(yaml: [UInt8] = APIDocument.yaml) throws {
        root = try DocumentValue(yaml: String(decoding: yaml, as: UTF8.self))
    }

    /// The document as JSON, in the same order.
    public var json: [UInt8] { Array(root.json().utf8) }

    /// All operations, in the document's order.
    public var operations: [Operation] {
        let paths = root["paths"]?.members ?? []
        return paths.flatMap { path, item in
            item.members.compactMap { name, value in
                Operation.methods.contains(name) ? Operation(method: name.uppercased(), path: path, value: value) : nil
            }
        }
    }

    /// Returns the strings of `enum` of a schema among the components.
    public func values(ofSchema name: String) -> [String] {
        root["components"]?["schemas"]?[name]?["enum"]?.elements.compactMap(\.string) ?? []
    }

    /// One operation: a method on a path.
    public struct Operation: Sendable {
        /// The method in upper case.
        public let method: String
        /// The path, with parameters in braces: `/api/v1/live-activity/broadcasts/{broadcast_id}`.
        public let path: String
        let value: DocumentValue

        static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
    }
}
