import HTTPTypes
import Hummingbird
import LiveActivity
import NIOHTTP1
import Reactor

/// All routes of a gateway: for what is said to a method that a path does not have, and to compare with the document.
public final class RouteTable: Sendable {
    /// A method on a path.
    public struct Route: Hashable, Sendable {
        /// In upper case.
        public let method: String
        /// With parameters in braces: `/api/v1/live-activity/broadcasts/{broadcast_id}`.
        public let path: String
    }

    private let filled = Locked<[Route]>([])

    public init() {}

    /// In no particular order; empty until the router has been made. Without the HEAD of every GET.
    public var routes: [Route] { filled.withLock { $0 } }

    /// Takes the router's routes, when all are there, and those that are answered before it.
    func fill(_ router: Router<GatewayContext>) {
        let own = router.routes.map { Route(method: $0.method.rawValue, path: $0.path.description) }
        let reports = ReportRoute.allCases.map { Route(method: $0.method.rawValue, path: $0.path) }
        filled.withLock { $0 = own + reports }
    }

    /// The methods that a path has, as `Allow` wants them; nil when it is no route's.
    func methods(at path: String) -> [String]? {
        let parts = path.split(separator: "/")
        var best: (rank: [Bool], methods: [String])?
        for route in routes {
            guard let rank = RouteTable.match(parts, route.path.split(separator: "/")) else { continue }
            if rank == best?.rank {
                best?.methods.append(route.method)
            } else if best.map({ RouteTable.isLess(rank, $0.rank) }) ?? true {
                best = (rank, [route.method])
            }
        }
        guard var methods = best?.methods else { return nil }
        if methods.contains("GET") { methods.append("HEAD") }
        return Set(methods).sorted()
    }

    /// For each part whether it is matched by a parameter; nil when it is another path.
    private static func match(_ parts: [Substring], _ template: [Substring]) -> [Bool]? {
        guard parts.count == template.count else { return nil }
        var rank: [Bool] = []
        for (part, expected) in zip(parts, template) {
            guard expected.first == "{" else {
                guard part == expected else { return nil }
                rank.append(false)
                continue
            }
            // A word where an id belongs is a route that does not exist, rather than one with other methods.
            if expected.hasSuffix("_id}"), UniqueID(part) == nil { return nil }
            rank.append(true)
        }
        return rank
    }

    /// The router prefers names to parameters, from left to right.
    private static func isLess(_ left: [Bool], _ right: [Bool]) -> Bool {
        for (left, right) in zip(left, right) where left != right { return !left }
        return false
    }
}
