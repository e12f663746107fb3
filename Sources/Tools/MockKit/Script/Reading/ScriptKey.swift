/// The keys of one kind of object in a script, spelled as the raw values. Any other key is an error, so no part of a
/// script is ignored silently.
package protocol ScriptKey: CaseIterable, Hashable, RawRepresentable<String>, Sendable {
    /// The heading of the object's table in `docs/mocks.md`, for example `stream_limit.changes[]`. Empty for the
    /// script.
    static var place: String { get }
}

extension ScriptKey {
    package static var spellings: [String] { allCases.map(\.rawValue) }
}
