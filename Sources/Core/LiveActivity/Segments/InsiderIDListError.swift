public import Encodings

/// An error in a line of an uploaded list. It contains none of the line's content except a column's name, so it is safe
/// to log and to return.
public struct InsiderIDListError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line number, counted from 1 by line feeds. For a record of several lines it is the first one.
    public let line: Int
    /// The error in that line.
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// The kinds of error.
    public enum Reason: Equatable, Sendable {
        case emptyID
        /// Longer than `DeviceKey.maximumLength`.
        case longID
        case zeroByte
        /// `.` or `..`, which cannot be part of a URL's path.
        case dotSegment
        case invalidUTF8
        /// Invalid CSV.
        case csv(CSVGrammar.Fault)
        /// A line of more than `maximum` bytes.
        case longLine(maximum: Int)
        case json(JSONSyntaxError)
        /// A CSV of several columns without one named `insider_id`.
        case noColumn(Int)
        /// A CSV column with a name similar to `insider_id`.
        case misnamedColumn(String)
        /// Two CSV columns are named `insider_id`.
        case columnTwice
        /// A CSV without users: empty, or only a header.
        case noUsers
        /// A CSV record whose number of cells differs from the first record's.
        case cells(Int, columns: Int)
        /// A JSON value other than a string or an object with a string `insider_id`.
        case noID
    }

    public var description: String { "line \(line): \(reason)" }
}

extension InsiderIDListError.Reason: CustomStringConvertible {
    /// A sentence without its full stop.
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
