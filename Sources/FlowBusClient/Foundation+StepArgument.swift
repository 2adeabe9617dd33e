#if canImport(FoundationEssentials)
    public import FlowBus
    public import FoundationEssentials

    // The types of Foundation that steps often carry. Each is on the bus what its coding makes of it.

    extension Data: StepArgument {
        /// ``/FlowBus/ArgumentType/bytes``
        public static var argumentType: ArgumentType { .bytes }
    }

    extension UUID: StepArgument {
        /// ``/FlowBus/ArgumentType/string``
        public static var argumentType: ArgumentType { .string }
    }

    extension Date: StepArgument {
        /// ``/FlowBus/ArgumentType/double``: seconds since the beginning of 2001.
        public static var argumentType: ArgumentType { .double }
    }

    extension URL: StepArgument {}
    extension Decimal: StepArgument {}
#endif
