/// The target of a request to the console's listener.
enum ConsolePath: Equatable {
    /// The page.
    case page
    /// A path that redirects to the page.
    case nearPage
    /// A file that the page loads.
    case asset(String)
    /// The session of the browser.
    case session
    /// An operator's request, by the path behind `/console/operator/`.
    case operators(String)
    /// A request to the API of the tenant with this id, by its path in the API.
    case tenant(String, path: String)

    private static let tenants = "/console/tenants/"
    private static let assets = "/console/assets/"
    private static let operators = "/console/operator/"
    /// The prefix of all paths that a tenant may use.
    private static let api = "/api/v1/"

    /// Nil if the path does not exist.
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
