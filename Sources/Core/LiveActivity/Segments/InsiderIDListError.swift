public import Encodings

/// The line of an uploaded list that breaks it. Carries nothing of what the line says but the name of a column, so it
/// is safe to log and to send back.
public struct InsiderIDListError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Counted from 1 by line feeds. For a record of several lines it is the one that it begins in.
    public let line: Int
    /// What is wrong there.
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// What is wrong.
    public enum Reason: Equatable, Sendable {
        case emptyID
        /// Longer than `DeviceKey.maximumLength`.
        case longID
        case zeroByte
        /// `.` or `..`, which no URL can name.
        case dotSegment
        case invalidUTF8
        /// No CSV.
        case csv(CSVGrammar.Fault)
        /// A line of more than this many bytes.
        case longLine(maximum: Int)
        case json(JSONSyntaxError)
        /// A CSV of so many columns, none of which is called `insider_id`.
        case noColumn(Int)
        /// A column of a CSV is called almost `insider_id`.
        case misnamedColumn(String)
        /// Two columns of a CSV are called `insider_id`.
        case columnTwice
        /// A CSV without a user: empty, or a header alone.
        case noUsers
        /// A record of a CSV with another number of cells than its first one.
        case cells(Int, columns: Int)
        /// JSON that is neither a string nor an object with the member `insider_id`, a string.
        case noID
    }

    public var description: String { "line \(line): \(reason)" }
}

extension InsiderIDListError.Reason: CustomStringConvertible {
    /// A plain sentence without its full stop.
    public var description: String {
        switch self {
        case .emptyID: "the insider_id is empty"
        case .longID: "the insider_id is longer than \(DeviceKey.maximumLength) bytes"
        case .zeroByte: "the insider_id contains NUL"
        case .dotSegment: "the insider_id must not be . or .."
        case .invalidUTF8: "the bytes are not valid UTF-8"
        case .csv(let fault): "\(fault)"
        case .longLine(let maximum): "the line is longer than \(maximum) bytes"
        case .json(let error): "the line is not valid JSON: \(error)"
        case .noColumn(let count):
            "none of the \(count) columns is named insider_id; quote ids that contain a separator"
        case .misnamedColumn(let name): "the column \"\(name)\" must be named insider_id"
        case .columnTwice: "two columns are named insider_id"
        case .noUsers: "the list has no users"
        case .cells(let found, let columns): "the line has \(found) cells, but the header has \(columns) columns"
        case .noID: "a string is expected, or an object with a string insider_id"
        }
    }
}
