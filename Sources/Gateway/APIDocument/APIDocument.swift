import CAPIDocument

/// The description of the HTTP API after OpenAPI 3.1, which is part of the executable, and what is made of it.
public struct APIDocument: Sendable {
    let root: DocumentValue

    /// The description as it is in the source tree: YAML, UTF-8.
    public static var yaml: [UInt8] {
        Array(UnsafeBufferPointer(start: api_document_bytes(), count: api_document_length()))
    }

    static var style: [UInt8] {
        Array(UnsafeBufferPointer(start: api_document_style_bytes(), count: api_document_style_length()))
    }

    /// Takes tens of milliseconds. Throws what is wrong with a text that is no YAML.
    public init(yaml: [UInt8] = APIDocument.yaml) throws {
        root = try DocumentValue(yaml: String(decoding: yaml, as: UTF8.self))
    }

    /// The same in JSON, in the same order.
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

    /// The texts of `enum` of a schema among the components.
    public func values(ofSchema name: String) -> [String] {
        root["components"]?["schemas"]?[name]?["enum"]?.elements.compactMap(\.string) ?? []
    }

    /// One operation: a method on a path.
    public struct Operation: Sendable {
        /// In upper case.
        public let method: String
        /// With parameters in braces: `/api/v1/live-activity/broadcasts/{broadcast_id}`.
        public let path: String
        let value: DocumentValue

        static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
    }
}
