// Steps without a Swift type carry values, as in `["movieId": .int64(23)]`. Users of this library get the type with it.
@_exported public import enum FlowCore.Value
