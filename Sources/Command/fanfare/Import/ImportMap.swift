import Encodings
import Foundation
import GatewayConfiguration
import LiveActivity
import Yams

/// Maps the columns of another system's export to device fields.
///
///     columns:                        # field: name of its column
///       insider_id: external_user_id
///       udid: device_id
///       token: la_token               # push_to_start_token on iOS, registration_token on Android
///       platform: device_type
///     values:                         # for missing columns and empty cells
///       environment: production
///       gdpr_consent: true
///     translate:                      # field: value in the export, and its meaning
///       platform: {"0": ios, "1": android}
///     delimiter: ";"
struct ImportMap {
    var columns: [Field: String] = [:]
    var values: [Field: String] = [:]
    var translations: [Field: [String: String]] = [:]
    /// The separators to try: the one in the map, or those of `CSVHeader`.
    var separators = CSVHeader.separators

    /// The fields of a device import.
    enum Field: String, CaseIterable {
        case insiderID = "insider_id"
        case udid
        case platform
        case osVersion = "os_version"
        case appVersion = "app_version"
        case pushOptIn = "push_opt_in"
        case gdprConsent = "gdpr_consent"
        case frequentPushes = "frequent_pushes"
        case environment
        case pushToStartToken = "push_to_start_token"
        case registrationToken = "registration_token"
        /// A push-to-start or registration token, depending on the platform.
        case token

        var isBoolean: Bool { self == .pushOptIn || self == .gdprConsent || self == .frequentPushes }
        /// True if the value is a keyword, whose case is ignored.
        var isWord: Bool { self == .platform || self == .environment }
    }

    /// Maps columns that have the names of fields.
    init() {}

    /// Reads a YAML file. Throws a message for the operator.
    init(file path: String) throws {
        let text: String
        switch BoundedFile.read(path, limit: 1 << 16, mayBePipe: true) {
        case .contents(let bytes, _): text = String(decoding: bytes, as: UTF8.self)
        case .missing: throw CommandFailure("the file \(path) does not exist")
        case .refused(let reason): throw CommandFailure("the file \(path) \(reason)")
        }
        do {
            guard let node = try Yams.compose(yaml: text) else { throw CommandFailure("the file is empty") }
            try read(node)
        } catch let failure as CommandFailure {
            throw CommandFailure("\(path): \(failure.description)")
        } catch {
            throw CommandFailure("\(path) is not valid YAML: \(error)")
        }
    }

    private mutating func read(_ node: Node) throws {
        for (name, value) in try ImportMap.pairs(node, "it") {
            switch name {
            case "columns":
                for (name, value) in try ImportMap.pairs(value, name) {
                    columns[try ImportMap.field(name)] = try ImportMap.text(value, name)
                }
            case "values":
                for (name, value) in try ImportMap.pairs(value, name) {
                    values[try ImportMap.field(name)] = try ImportMap.text(value, name)
                }
            case "translate":
                for (name, value) in try ImportMap.pairs(value, name) {
                    translations[try ImportMap.field(name)] = Dictionary(
                        try ImportMap.pairs(value, name).map { ($0, try ImportMap.text($1, $0)) }
                    ) { $1 }
                }
            case "delimiter":
                let text = try ImportMap.text(value, name)
                guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, !"\"\r\n".utf8.contains(byte)
                else {
                    throw CommandFailure("delimiter must be one character, such as \";\" or \"\\t\"")
                }
                separators = [byte]
            default:
                let near = NearestName.find(name, in: ["columns", "values", "translate", "delimiter"])
                throw CommandFailure("\(name) is unknown\(near.map { "; did you mean \($0)?" } ?? "")")
            }
        }
    }

    private static func pairs(_ node: Node, _ name: String) throws -> [(String, Node)] {
        guard let mapping = node.mapping else { throw CommandFailure("\(name) must be a mapping of keys to values") }
        return try mapping.map { ($0.key.scalar?.string ?? "", $0.value) }.map { pair in
            guard !pair.0.isEmpty else { throw CommandFailure("\(name) has a key that is not a string") }
            return pair
        }
    }

    private static func text(_ node: Node, _ name: String) throws -> String {
        guard let scalar = node.scalar else { throw CommandFailure("\(name) must have one value") }
        return scalar.string
    }

    private static func field(_ name: String) throws -> Field {
        if let field = Field(rawValue: name) { return field }
        let near = NearestName.find(name, in: Field.allCases.map(\.rawValue))
        throw CommandFailure("the device field \(name) does not exist\(near.map { "; did you mean \($0)?" } ?? "")")
    }

    /// The possible names of columns, in lower case.
    var names: Set<String> { Set(Field.allCases.map(\.rawValue)).union(columns.values.map { $0.lowercased() }) }

    /// Returns the map for a file with these columns. Throws if a mapped column or `insider_id` is missing.
    /// - Parameter names: The names without surrounding blanks. Case is ignored.
    func bound(to names: [String]) throws -> Bound {
        let lower = names.map { $0.lowercased() }
        var places: [Field: Int] = [:]
        for (field, name) in columns {
            guard let place = lower.firstIndex(of: name.lowercased()) else {
                let near = NearestName.find(name, in: names)
                throw CommandFailure(
                    "the column \"\(name)\" does not exist\(near.map { "; did you mean \"\($0)\"?" } ?? ""); the columns are "
                        + ImportReport.list(names.map { "\"\($0)\"" }))
            }
            places[field] = place
        }
        // Fields without a mapping use the column of their own name.
        for field in Field.allCases where places[field] == nil && field != .token {
            if let place = lower.firstIndex(of: field.rawValue), !places.values.contains(place) {
                places[field] = place
            }
        }
        guard places[.insiderID] != nil || values[.insiderID] != nil else {
            throw CommandFailure(
                "the column insider_id is missing; map it with --map (`fanfare devices import --help`)")
        }
        return Bound(map: self, places: places)
    }

    /// A map bound to the columns of a file.
    struct Bound {
        let map: ImportMap
        let places: [Field: Int]

        func uses(_ column: Int) -> Bool { places.values.contains(column) }

        /// Returns a record as a JSON object. Throws if a cell is not UTF-8.
        func object(of cells: [[UInt8]]) throws(ImportRecord.Refusal) -> [UInt8] {
            var found: [Field: String] = [:]
            for field in Field.allCases {
                found[field] = try text(field, cells)
            }
            if let token = found.removeValue(forKey: .token) {
                let field = found[.platform] == "android" ? Field.registrationToken : .pushToStartToken
                guard found.updateValue(token, forKey: field) == nil else {
                    throw ImportRecord.Refusal(description: "the record has both token and \(field.rawValue)")
                }
            }
            return JSONWriter.object { writer in
                for (field, text) in found {
                    if field.isBoolean, let value = Bound.boolean(text) {
                        writer.field(field.rawValue, value)
                    } else {
                        writer.field(field.rawValue, text)
                    }
                }
            }
        }

        private func text(_ field: Field, _ cells: [[UInt8]]) throws(ImportRecord.Refusal) -> String? {
            var text = ""
            if let place = places[field] {
                guard let cell = String(validating: cells[place], as: UTF8.self) else {
                    throw ImportRecord.Refusal(description: "\(field.rawValue) is not valid UTF-8")
                }
                text = cell
            }
            text = map.translations[field]?[text] ?? text
            if text.isEmpty { text = map.values[field] ?? "" }
            guard !text.isEmpty else { return nil }
            return field.isWord ? text.lowercased() : text
        }

        /// Reads the common forms of databases and spreadsheets.
        private static func boolean(_ text: String) -> Bool? {
            switch text.lowercased() {
            case "true", "t", "yes", "y", "1": true
            case "false", "f", "no", "n", "0": false
            default: nil
            }
        }
    }
}
