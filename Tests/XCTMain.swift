import Testing

/// The entry point of the test bundle. SwiftPM takes a file with this name in place of its own entry point, which needs
/// an index of all sources to find cases of XCTest.
@main
enum EntryPoint {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
