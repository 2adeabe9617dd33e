internal import FlowBus
internal import FlowCore

// The answers of this program's flows and screens, which the service passes on.

extension BusHost {
    func result(of type: any Answering.Type) throws(StepError) -> [Parameter] {
        guard let parameters = try type.answerParameters() else { throw type.answersNotForTheBus }
        return parameters
    }

    func message(of answer: GivenAnswer, _ step: ResultStep?) throws(NavigationError) -> Arguments {
        try answer.encoded()
    }

    func name(of maker: ResultStep.StepMaker, in catalog: StepCatalog) throws(NavigationError) -> String {
        throw NavigationError(
            .notSupported,
            "on the bus, the service makes the step of 'onResult': give it the name of a case, and no closure")
    }
}
