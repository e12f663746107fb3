/// The keys that one kind of object in a script may have; the raw values are their spellings. Only these can be read,
/// and any other in a script is an error, so nothing that is written in one is passed over.
package protocol ScriptKey: CaseIterable, Hashable, RawRepresentable<String>, Sendable {
    /// Where such objects stand, as `docs/mocks.md` heads their table: `stream_limit.changes[]`. Empty for the script.
    static var place: String { get }
}

extension ScriptKey {
    package static var spellings: [String] { allCases.map(\.rawValue) }
}
