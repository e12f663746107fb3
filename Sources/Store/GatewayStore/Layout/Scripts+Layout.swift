extension Scripts {
    static let deleteField = ScriptLibrary.embedded["delete-field"]
}
