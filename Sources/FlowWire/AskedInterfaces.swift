public import SdBus

/// The interfaces that other processes implement for the service, as in the XML of the contract.
extension InterfaceDescription {
    private static var question: [Argument] {
        [Argument("flow", "o"), Argument("step", "s"), Argument("arguments", "a{sv}"), Argument("details", "a{sv}")]
    }

    /// `Guard`
    public static var `guard`: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.guard,
            methods: [
                Method(
                    served: "Adapt", in: question,
                    out: [Argument("adaptedStep", "s"), Argument("adaptedArguments", "a{sv}")])
            ])
    }

    /// `Navigator`
    public static var navigator: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.navigator,
            methods: [
                Method(
                    served: "Navigate", in: question,
                    out: [Argument("contributors", "a(ssa{sv})", qtType: "FlowBusContributorList")])
            ])
    }

    /// `Presenter`
    public static var presenter: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.presenter,
            methods: [
                Method(
                    served: "Present",
                    in: [
                        Argument("presentable", "o"), Argument("name", "s"), Argument("arguments", "a{sv}"),
                        Argument("details", "a{sv}"),
                    ], out: [Argument("report", "a{sv}")]),
                Method(
                    served: "Withdraw",
                    in: [Argument("presentable", "o"), Argument("instance", "t"), Argument("reason", "s")],
                    withoutReply: true),
                Method(served: "Alive"),
            ])
    }
}
