import FlowCore

/// Random definitions and operations, from one seed.
struct Case {
    var definitions: Definitions
    var operations: [Operation]
    var quotas = Quotas.service

    /// A case with a difference.
    struct Failure {
        var seed: UInt64
        var testCase: Case
        var difference: World.Difference
    }

    /// Statistics.
    struct Usage {
        var sequences = 0
        var events = 0
        var navigations = 0
        /// The kinds that occurred at least once.
        var kinds: Set<Contribution.Kind> = []
        var verdicts: Set<Verdict> = []
        var codes: Set<FlowError.Code> = []
        /// What those were told who asked.
        var told: Set<AskOutcome> = []
        /// The navigations by steppers, and the failures of their steps.
        var stepperNavigations = 0
        var stepperCodes: Set<FlowError.Code> = []

        fileprivate mutating func note(_ observed: [ObservedEffect]) {
            for it in observed {
                switch it {
                case .did(let did):
                    for part in did.parts { kinds.insert(part.kind) }
                    if did.client.name.hasPrefix("org."), did.cause == 0 { stepperNavigations += 1 }
                case .failed(let failure):
                    if failure.client.name.hasPrefix("org."), case .error(let code) = failure.reason {
                        stepperCodes.insert(code)
                    }
                    switch failure.reason {
                    case .error(let code): codes.insert(code)
                    case .verdict(let verdict): verdicts.insert(verdict)
                    }
                case .refused(_, let code): codes.insert(code)
                case .told(_, _, _, let outcome, _): told.insert(outcome)
                case .answered(_, .verdict(let verdict, _)): verdicts.insert(verdict)
                case .answered(_, .verdicts(let outcomes)):
                    for case .refused(let error) in outcomes { codes.insert(error.code) }
                default: break
                }
            }
        }
    }

    /// Runs the sequence of a seed. Returns the difference.
    static func run(seed: UInt64, _ usage: inout Usage) -> Failure? {
        var random = SplitMix64(seed: seed)
        let isWild = random.chance(2)
        var definitions = DefinitionGenerator(seed: random.next(), isWild: isWild)
        var operations = OperationGenerator(seed: random.next(), isWild: isWild)
        var testCase = Case(definitions: definitions.make(), operations: [])
        if random.chance(35) { testCase.quotas = Self.small(&random) }
        let world = World(testCase.definitions, testCase.quotas, hasTwin: seed % 16 == 0, asksBefore: seed % 8 == 1)
        // Short sequences find errors cheaply; a few are as long as possible.
        let length = random.chance(4) ? 200 : random.number(1...random.among(20, 40, 80))
        for number in 1...length {
            let operation = operations.make(world.model)
            testCase.operations.append(operation)
            let difference = world.run(operation) ?? (number % 16 == 0 ? world.check() : nil)
            usage.note(world.model.observed + world.model.told)
            if let difference { return Failure(seed: seed, testCase: testCase, difference: difference) }
        }
        usage.sequences += 1
        usage.events += length
        usage.navigations += Int(world.model.serial)
        return (world.check() ?? world.endAll()).map { Failure(seed: seed, testCase: testCase, difference: $0) }
    }

    /// Limits that a few events reach.
    private static func small(_ random: inout SplitMix64) -> Quotas {
        var quotas = Quotas.none
        let nodes = random.number(1...12)
        quotas.nodes = Quotas.Quota(perClient: nodes, total: nodes + random.number(0...12))
        let steps = random.number(1...4)
        quotas.steps = Quotas.Quota(perClient: steps, total: steps + random.number(0...4))
        quotas.deferredSteps = Quotas.Quota(perClient: 2, total: random.number(2...4))
        quotas.stepsPerFlow = Quotas.Quota(perClient: 3, total: random.number(3...5))
        quotas.tokens = Quotas.Quota(perClient: 2, total: random.number(2...4))
        return quotas
    }

    /// Runs the case again. Returns the difference, and the number of operations before it.
    func replay() -> (World.Difference, count: Int)? {
        let world = World(definitions, quotas, hasTwin: true, asksBefore: true)
        for (index, operation) in operations.enumerated() {
            if let difference = world.run(operation) ?? world.check() { return (difference, index + 1) }
        }
        return world.endAll().map { ($0, operations.count) }
    }
}
