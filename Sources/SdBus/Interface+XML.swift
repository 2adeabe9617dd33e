extension InterfaceDescription {
    /// A whole introspection document of these interfaces.
    public static func document(of interfaces: [InterfaceDescription]) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>

        """ + interfaces.map(\.xml).joined() + "</node>"
    }

    /// The `<interface>` element as sd-bus's own Introspect prints it for ``makeVtable()``, up to white space.
    public var xml: String {
        var lines = ["<interface name=\"\(name)\">"]
        for method in methods {
            lines.append("  <method name=\"\(method.name)\">")
            lines += method.inputs.map { Self.line($0, direction: "in") }
            lines += method.outputs.map { Self.line($0, direction: "out") }
            if method.isDeprecated { lines.append(Self.annotation("Deprecated", "true")) }
            if method.isWithoutReply { lines.append(Self.annotation("Method.NoReply", "true")) }
            lines.append("  </method>")
        }
        for signal in signals {
            lines.append("  <signal name=\"\(signal.name)\">")
            lines += signal.arguments.map { Self.line($0, direction: nil) }
            if signal.isDeprecated { lines.append(Self.annotation("Deprecated", "true")) }
            lines.append("  </signal>")
        }
        for property in properties {
            lines.append("  <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"read\">")
            if property.isDeprecated { lines.append(Self.annotation("Deprecated", "true")) }
            if property.change == .explicit {
                lines.append("    <annotation name=\"org.freedesktop.systemd1.Explicit\" value=\"true\"/>")
            }
            if let value = property.change.annotation {
                lines.append(Self.annotation("Property.EmitsChangedSignal", value))
            }
            lines.append("  </property>")
        }
        lines.append("</interface>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ argument: Argument, direction: String?) -> String {
        let way = direction.map { " direction=\"\($0)\"" } ?? ""
        return "    <arg type=\"\(argument.signature)\" name=\"\(argument.name)\"\(way)/>"
    }

    private static func annotation(_ name: String, _ value: String) -> String {
        "    <annotation name=\"org.freedesktop.DBus.\(name)\" value=\"\(value)\"/>"
    }
}
