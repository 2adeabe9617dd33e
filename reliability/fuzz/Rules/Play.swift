import FlowCore
public import Input

/// Plays definitions and events as the input says, on the machine and on the model of the rules (`FlowModelTests`): both have the
/// same effects, the same tree, the same stack.
public func playRules(_ input: Input) {
    Input.current = input
    let flags = Input.current.byte()
    let isWild = flags & 15 == 0
    var definitions = DefinitionGenerator(seed: Input.marker, isWild: isWild)
    var operations = OperationGenerator(seed: Input.marker, isWild: isWild)
    var testCase = Case(definitions: definitions.make(), operations: [])
    if flags & 16 != 0 { testCase.quotas = small(Input.current.byte()) }
    let world = World(testCase.definitions, testCase.quotas, hasTwin: flags & 32 != 0, asksBefore: flags & 64 != 0)
    func end(_ difference: World.Difference) -> Never {
        fatalError(Case.Failure(seed: 0, testCase: testCase, difference: difference).text)
    }
    while !Input.current.isOver && testCase.operations.count < 200 {
        let operation = operations.make(world.model)
        testCase.operations.append(operation)
        if let difference = world.run(operation) { end(difference) }
        if testCase.operations.count % 16 == 0, let difference = world.check() { end(difference) }
    }
    if let difference = world.check() ?? world.endAll() { end(difference) }
}

/// Limits that a few events reach.
private func small(_ byte: UInt8) -> Quotas {
    var quotas = Quotas.none
    let number = Int(byte % 8) + 1
    quotas.nodes = Quotas.Quota(perClient: number, total: number + Int(byte >> 4))
    quotas.steps = Quotas.Quota(perClient: 1 + number / 3, total: 2 + number / 3)
    quotas.deferredSteps = Quotas.Quota(perClient: 2, total: 3)
    quotas.stepsPerFlow = Quotas.Quota(perClient: 3, total: 4)
    quotas.tokens = Quotas.Quota(perClient: 2, total: 3)
    return quotas
}
