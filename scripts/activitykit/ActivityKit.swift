// The public signatures of ActivityKit that FanfareDevice uses, without anything behind them: against these the part of
// the library that knows ActivityKit is type-checked where there is no ActivityKit. `Activity` and its sequences are
// not Sendable here, although some versions say that they are, so that what compiles here compiles there.
public import Foundation

public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

public enum ActivityState: Codable, Hashable, Sendable {
    case active, ended, dismissed, stale, pending
}

public struct ActivityContent<State: Decodable & Encodable & Hashable> {
    public var state: State
    public var staleDate: Date?
    public var relevanceScore: Double
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0.0) { fatalError() }
}
extension ActivityContent: Sendable where State: Sendable {}

public struct PushType: Equatable, Sendable {
    public static let token = PushType()
    public static func channel(_ channelId: String) -> PushType { fatalError() }
}

public struct ActivityUIDismissalPolicy: Equatable, Sendable {
    public static let `default` = ActivityUIDismissalPolicy()
    public static let immediate = ActivityUIDismissalPolicy()
    public static func after(_ date: Date) -> ActivityUIDismissalPolicy { fatalError() }
}

public struct StubSequence<Element>: AsyncSequence {
    public struct AsyncIterator: AsyncIteratorProtocol {
        public mutating func next() async -> Element? { fatalError() }
    }
    public func makeAsyncIterator() -> AsyncIterator { fatalError() }
}
@available(*, unavailable)
extension StubSequence: Sendable {}

public class Activity<Attributes: ActivityAttributes>: Identifiable {
    public typealias ContentState = Attributes.ContentState
    public var id: String { fatalError() }
    public var attributes: Attributes { fatalError() }
    public var content: ActivityContent<ContentState> { fatalError() }
    public var contentUpdates: StubSequence<ActivityContent<ContentState>> { fatalError() }
    public var activityState: ActivityState { fatalError() }
    public var activityStateUpdates: StubSequence<ActivityState> { fatalError() }
    public var pushToken: Data? { fatalError() }
    public var pushTokenUpdates: StubSequence<Data> { fatalError() }
    public static var activities: [Activity<Attributes>] { fatalError() }
    public static var activityUpdates: StubSequence<Activity<Attributes>> { fatalError() }
    public static var pushToStartToken: Data? { fatalError() }
    public static var pushToStartTokenUpdates: StubSequence<Data> { fatalError() }
    public static func request(
        attributes: Attributes, content: ActivityContent<ContentState>, pushType: PushType? = nil
    ) throws -> Activity<Attributes> { fatalError() }
    public func end(
        _ content: ActivityContent<ContentState>?, dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {}
    init() { fatalError() }
}
@available(*, unavailable)
extension Activity: Sendable {}

public final class ActivityAuthorizationInfo: Sendable {
    public init() {}
    public var areActivitiesEnabled: Bool { fatalError() }
    public var frequentPushesEnabled: Bool { fatalError() }
    public var activityEnablementUpdates: StubSequence<Bool> { fatalError() }
    public var frequentPushEnablementUpdates: StubSequence<Bool> { fatalError() }
}
