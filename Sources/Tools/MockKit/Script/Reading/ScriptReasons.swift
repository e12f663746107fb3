/// The words with which a provider says why; a script may use these alone.
package protocol ScriptReasons {
    /// Nil for any text.
    static var all: [String]? { get }
    /// What they are called in a message: "APNs's reasons".
    static var title: String { get }
}
