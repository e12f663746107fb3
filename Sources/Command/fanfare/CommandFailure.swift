import Foundation

/// Ends the command with a sentence for people, and status 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Errors of the system in words for people.
enum PlainWords {
    static func of(_ error: any Error) -> String {
        // Foundation wraps the system's error, and describes itself in its own notation.
        guard let error = error as? CocoaError else { return "\(error)" }
        let code = (error.underlying as? POSIXError)?.code.rawValue
        let path = error.userInfo[NSFilePathErrorKey].map { "\($0): " } ?? ""
        return code.map { path + String(cString: strerror($0)) } ?? path + error.localizedDescription
    }
}

/// What a program writes for people beside its result.
enum StandardError {
    static func print(_ text: String) {
        StandardErrorLog.flush()
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
