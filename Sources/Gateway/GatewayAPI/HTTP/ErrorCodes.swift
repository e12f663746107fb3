/// The codes of refusals, for documents and metrics.
public enum ErrorCodes {
    /// All values of the field `code`.
    public static var all: [String] { APIError.Code.allCases.map(\.rawValue) }
}
