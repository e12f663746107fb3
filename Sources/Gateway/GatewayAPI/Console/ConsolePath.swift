/// What is asked for at the console's listener.
enum ConsolePath: Equatable {
    /// The page.
    case page
    /// Where people look for the page.
    case nearPage
    /// A file that the page loads.
    case asset(String)
    /// Who is signed in.
    case session
    /// What operators alone may ask, by what stands behind `/console/operator`.
    case operators(String)
    /// The API as the tenant of this id has it, by the path that it has there.
    case tenant(String, path: String)

    private static let tenants = "/console/tenants/"
    private static let assets = "/console/assets/"
    private static let operators = "/console/operator/"
    /// What a tenant's key opens begins so.
    private static let api = "/api/v1/"

    /// Nil where there is nothing.
    init?(_ path: String) {
        switch path {
        case "/console/": self = .page
        case "/", "/console": self = .nearPage
        case "/console/session": self = .session
        default:
            if path.hasPrefix(ConsolePath.assets) {
                self = .asset(String(path.dropFirst(ConsolePath.assets.count)))
            } else if path.hasPrefix(ConsolePath.operators) {
                self = .operators(String(path.dropFirst(ConsolePath.operators.count)))
            } else if path.hasPrefix(ConsolePath.tenants) {
                let rest = path.dropFirst(ConsolePath.tenants.count)
                guard let slash = rest.firstIndex(of: "/"), rest[slash...].hasPrefix(ConsolePath.api) else {
                    return nil
                }
                self = .tenant(String(rest[..<slash]), path: String(rest[slash...]))
            } else {
                return nil
            }
        }
    }
}
