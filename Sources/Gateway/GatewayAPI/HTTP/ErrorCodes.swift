/// The codes of refusals, for what describes or counts them.
public enum ErrorCodes {
    /// As they are in `code`.
    public static var all: [String] { APIError.Code.allCases.map(\.rawValue) }
}
