/// The reasons for rejections that a script may use for one provider.
package protocol ScriptReasons {
    /// The allowed reasons; nil allows any text.
    static var all: [String]? { get }
    /// The name of the reasons in an error message, for example "APNs's reasons".
    static var title: String { get }
}
