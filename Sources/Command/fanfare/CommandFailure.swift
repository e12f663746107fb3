import Foundation

/// An error that ends the command with a message and status 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// System errors as text for operators.
enum PlainWords {
    static func of(_ error: any Error) -> String {
        // Foundation wraps the system's error, and its own description is not readable.
        guard let error = error as? CocoaError else { return "\(error)" }
        let code = (error.underlying as? POSIXError)?.code.rawValue
        let path = error.userInfo[NSFilePathErrorKey].map { "\($0): " } ?? ""
        return code.map { path + String(cString: strerror($0)) } ?? path + error.localizedDescription
    }
}

/// Messages to the operator, separate from the command's result.
enum StandardError {
    static func print(_ text: String) {
        StandardErrorLog.flush()
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
