// Contributors can be compared, so that a test can say what it expects of `navigate(to:)`.

extension FlowContributors: @FlowActor Equatable {
    /// Returns whether two answers of ``Flow/navigate(to:)`` mean the same.
    ///
    /// Presentables are the same objects. Steppers are, too, or both are of one of the library's own types and emit equal steps. Steps and
    /// results are equal if they are of one type and equal there, or, where the type is not Equatable, print the same (`dump`).
    ///
    /// - Parameters:
    ///   - one: an answer.
    ///   - other: another one.
    /// - Returns: Whether they are equal.
    @FlowActor
    public static func == (one: FlowContributors, other: FlowContributors) -> Bool {
        switch (one, other) {
        case (.multiple, _), (.one, _), (_, .multiple), (_, .one):
            guard let list = one.list, let otherList = other.list else { return false }
            return list == otherList
        case (.end(let step), .end(let otherStep)): return Likeness.areEqual(step, otherStep)
        case (.answer(let answer), .answer(let otherAnswer)): return Likeness.areEqual(answer, otherAnswer)
        case (.none, .none), (.unhandled, .unhandled): return true
        case (.end, _), (.answer, _), (.none, _), (.unhandled, _): return false
        }
    }

    /// The contributors of a list, or of one; nil for any other answer.
    private var list: [FlowContributor]? {
        switch self {
        case .multiple(let contributors): contributors
        case .one(let contributor): [contributor]
        case .end, .answer, .none, .unhandled: nil
        }
    }
}

extension FlowContributor: @FlowActor Equatable {
    /// Returns whether two contributors mean the same, as ``FlowContributors`` are compared.
    ///
    /// - Parameters:
    ///   - one: a contributor.
    ///   - other: another one.
    /// - Returns: Whether they are equal.
    @FlowActor
    public static func == (one: FlowContributor, other: FlowContributor) -> Bool {
        switch (one, other) {
        case (
            .contribute(let child, let stepper, let allows, let onResult, let options),
            .contribute(let otherChild, let otherStepper, let otherAllows, let otherOnResult, let otherOptions)
        ):
            child === otherChild && Likeness.areEqual(stepper, otherStepper) && allows == otherAllows
                && onResult == otherOnResult && options == otherOptions
        case (
            .contributeFlow(let name, let step, let arguments, let style, let allows, let onResult, let options),
            .contributeFlow(let name2, let step2, let arguments2, let style2, let allows2, let onResult2, let options2)
        ),
            (
                .contributeScreen(let name, let step, let arguments, let style, let allows, let onResult, let options),
                .contributeScreen(
                    let name2, let step2, let arguments2, let style2, let allows2, let onResult2, let options2)
            ):
            name == name2 && Likeness.areEqual(step, step2) && arguments == arguments2 && style == style2
                && allows == allows2 && onResult == onResult2 && options == options2
        case (.forwardToCurrentFlow(let step), .forwardToCurrentFlow(let otherStep)),
            (.forwardToParentFlow(let step), .forwardToParentFlow(let otherStep)):
            Likeness.areEqual(step, otherStep)
        case (.pop(let name, let key), .pop(let otherName, let otherKey)),
            (.showChild(let name, let key), .showChild(let otherName, let otherKey)),
            (.hideChild(let name, let key), .hideChild(let otherName, let otherKey)),
            (.dismissChild(let name, let key), .dismissChild(let otherName, let otherKey)):
            name == otherName && key == otherKey
        case (.popToRoot, .popToRoot): true
        case (.setContext(let values), .setContext(let otherValues)): values == otherValues
        case (.contribute, _), (.contributeFlow, _), (.contributeScreen, _), (.forwardToCurrentFlow, _),
            (.forwardToParentFlow, _), (.pop, _), (.popToRoot, _), (.showChild, _), (.hideChild, _), (.dismissChild, _),
            (.setContext, _):
            false
        }
    }
}

/// Compares values of types that need not be Equatable.
package enum Likeness {
    /// Returns whether two values are equal: as their type has it, or else because they print the same.
    package static func areEqual(_ one: Any, _ other: Any) -> Bool {
        guard type(of: one) == type(of: other) else { return false }
        if let one = one as? any Equatable { return isEqual(one, other) }
        var (text, otherText) = ("", "")
        dump(one, to: &text)
        dump(other, to: &otherText)
        return text == otherText
    }

    private static func isEqual<Compared: Equatable>(_ one: Compared, _ other: Any) -> Bool {
        one == other as? Compared
    }

    @FlowActor
    static func areEqual(_ one: any Stepper, _ other: any Stepper) -> Bool {
        if one === other { return true }
        return switch (one, other) {
        case (is NoneStepper, is NoneStepper), (is DefaultStepper, is DefaultStepper): true
        case (let one as OneStepper, let other as OneStepper): areEqual(one.initialStep, other.initialStep)
        case (let one as CompositeStepper, let other as CompositeStepper):
            one.steppers.count == other.steppers.count
                && zip(one.steppers, other.steppers).allSatisfy { areEqual($0, $1) }
        default: false
        }
    }
}
