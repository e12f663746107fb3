import Testing

/// The entry point of the test bundle. SwiftPM uses a file with this name in place of its own entry point. Its own one
/// needs an index of all sources to find XCTest cases.
@main
enum EntryPoint {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
