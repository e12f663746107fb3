import Testing

/// Each of these tests keeps two cores busy, and some watch the clock: they run one after another.
@Suite("The push client", .serialized) struct PushClientTests {}
