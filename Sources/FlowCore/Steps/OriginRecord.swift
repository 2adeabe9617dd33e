/// The record of the steps that an origin has triggered.
struct OriginRecord: RecordBody, Equatable, Sendable {
    var triggered = 0
    var isReported = false

    static var unread: OriginRecord { OriginRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&triggered, upTo: Limits.triggeredSteps)
        try coder.code(&isReported)
    }
}
