// `OwnActor` is a trait of the package, which SwiftPM makes a condition of the compiler.
#if OwnActor
    /// The actor of all flows, steppers, screens and coordinators of the program.
    ///
    /// The package was built with its trait `OwnActor`, so this is an actor of its own, with threads of Swift's concurrency: the main
    /// thread of the program can do anything, also nothing for a long time. What is annotated with `@MainActor` reaches the flows with
    /// `await`, and the compiler sees to that. Without the trait, `FlowActor` is another name of the main actor.
    @globalActor
    public final actor FlowActor {
        /// The actor.
        public static let shared = FlowActor()

        private init() {}
    }
#else
    /// The actor of all flows, steppers, screens and coordinators of the program: the main actor.
    ///
    /// Views and windows belong to the main actor, too, so that flows can make and show them without `await`. A program without any, which
    /// has something else to do with its main thread, builds the package with the trait `OwnActor`; then `FlowActor` is an actor of its own.
    /// Code that says `@FlowActor` where it could say `@MainActor` is right for both.
    public typealias FlowActor = MainActor
#endif
