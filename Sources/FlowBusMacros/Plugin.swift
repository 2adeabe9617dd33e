#if Macros
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    @main
    struct Plugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [StepMacro.self, AnswerValuesMacro.self]
    }
#else
    /// Without the trait `Macros`, nothing uses this program.
    @main
    enum Plugin {
        static func main() {}
    }
#endif
