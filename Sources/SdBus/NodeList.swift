import Glibc

/// The result of a node enumerator, sd_bus_add_node_enumerator(3): a malloc'ed, NULL-terminated array of malloc'ed
/// object paths, which sd-bus frees.
///
/// ```swift
/// var nodes = NodeList()
/// nodes.append(path)
/// return nodes.finish(into: result)
/// ```
public struct NodeList: ~Copyable {
    /// Where an enumerator puts its result (`char ***`).
    public typealias Result = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>

    private var nodes: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    private var count = 0
    private var capacity = 0
    private var isOutOfMemory = false

    /// An empty list, which allocates nothing.
    public init() {}

    deinit {
        // finish(into:) leaves nil here, so this frees only an array that was not handed over.
        for index in 0..<count { free(nodes?[index]) }
        free(nodes)
    }

    /// Adds a copy of an object path. ``finish(into:)`` reports a failed allocation.
    public mutating func append(_ path: UnsafePointer<CChar>) {
        guard reserve(count + 1), let nodes, let copy = strdup(path) else {
            isOutOfMemory = true
            return
        }
        nodes[count] = copy
        count += 1
        nodes[count] = nil
    }

    /// Hands the array over to sd-bus, or no array if the list is empty.
    ///
    /// - Returns: the result for the enumerator: 0 or a negative errno.
    public mutating func finish(into result: Result?) -> Int32 {
        guard !isOutOfMemory else { return -ENOMEM }
        result?.pointee = nodes
        if result != nil {
            nodes = nil
            count = 0
            capacity = 0
        }
        return 0
    }

    /// Hands an array of object paths over as the whole result of an enumerator.
    public static func fill(_ result: Result?, with paths: [String]) -> Int32 {
        var list = NodeList()
        for path in paths { path.withCString { list.append($0) } }
        return list.finish(into: result)
    }

    /// Makes room for this many and the NULL after them.
    private mutating func reserve(_ wanted: Int) -> Bool {
        guard wanted >= capacity else { return true }
        let larger = max(16, capacity * 2)
        let size = larger * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
        guard let grown = realloc(nodes, size) else { return false }
        nodes = grown.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        capacity = larger
        return true
    }
}
