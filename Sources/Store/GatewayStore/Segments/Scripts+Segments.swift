extension Scripts {
    static let deleteSegment = ScriptLibrary.embedded["delete-segment"]
    static let installSegment = ScriptLibrary.embedded["install-segment"]
    static let takeOverSegmentCleanup = ScriptLibrary.embedded["take-over-segment-cleanup"]
}
