extension Keys {
    /// What may be sent for a project.
    static func quota(_ project: String) -> String { "fanfare:{q:\(project)}" }
}
