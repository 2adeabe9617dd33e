extension InterfaceDescription {
    /// A whole introspection document of these interfaces.
    public static func document(of interfaces: [InterfaceDescription]) -> String {
        document(interfaces.map(\.xml).joined(), children: [])
    }

    /// The introspection document of an object.
    ///
    /// - Parameters:
    ///   - interfaces: the elements of its interfaces.
    ///   - children: the names of the nodes below it.
    public static func document(_ interfaces: String, children: [String]) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>

        """ + interfaces + children.map { "<node name=\"\($0)\"/>\n" }.joined() + "</node>\n"
    }

    /// The elements of the interfaces that sd-bus serves on each object; D-Bus specification, "Standard Interfaces".
    public static var standardXML: String {
        """
        <interface name="org.freedesktop.DBus.Peer">
          <method name="Ping"/>
          <method name="GetMachineId">
            <arg type="s" name="machine_uuid" direction="out"/>
          </method>
        </interface>
        <interface name="org.freedesktop.DBus.Introspectable">
          <method name="Introspect">
            <arg type="s" name="xml_data" direction="out"/>
          </method>
        </interface>
        <interface name="org.freedesktop.DBus.Properties">
          <method name="Get">
            <arg type="s" name="interface_name" direction="in"/>
            <arg type="s" name="property_name" direction="in"/>
            <arg type="v" name="value" direction="out"/>
          </method>
          <method name="GetAll">
            <arg type="s" name="interface_name" direction="in"/>
            <arg type="a{sv}" name="props" direction="out"/>
            <annotation name="org.qtproject.QtDBus.QtTypeName.Out0" value="QVariantMap"/>
          </method>
          <method name="Set">
            <arg type="s" name="interface_name" direction="in"/>
            <arg type="s" name="property_name" direction="in"/>
            <arg type="v" name="value" direction="in"/>
          </method>
          <signal name="PropertiesChanged">
            <arg type="s" name="interface_name"/>
            <arg type="a{sv}" name="changed_properties"/>
            <arg type="as" name="invalidated_properties"/>
            <annotation name="org.qtproject.QtDBus.QtTypeName.Out1" value="QVariantMap"/>
          </signal>
        </interface>

        """
    }

    /// The element of the interface that ``Bus/addObjectManager(path:)`` serves.
    public static var objectManagerXML: String {
        """
        <interface name="org.freedesktop.DBus.ObjectManager">
          <method name="GetManagedObjects">
            <arg type="a{oa{sa{sv}}}" name="object_paths_interfaces_and_properties" direction="out"/>
          </method>
          <signal name="InterfacesAdded">
            <arg type="o" name="object_path"/>
            <arg type="a{sa{sv}}" name="interfaces_and_properties"/>
          </signal>
          <signal name="InterfacesRemoved">
            <arg type="o" name="object_path"/>
            <arg type="as" name="interfaces"/>
          </signal>
        </interface>

        """
    }

    /// The `<interface>` element as sd-bus's own Introspect prints it for ``makeVtable()``, up to white space and to the names of Qt's
    /// types, which sd-bus does not know.
    public var xml: String {
        var lines = ["<interface name=\"\(name)\">"]
        for method in methods {
            lines.append("  <method name=\"\(method.name)\">")
            lines += method.inputs.map { Self.line($0, direction: "in") }
            lines += method.outputs.map { Self.line($0, direction: "out") }
            lines += Self.qtTypes(method.inputs, "In") + Self.qtTypes(method.outputs, "Out")
            if method.isDeprecated { lines.append(Self.annotation("Deprecated", "true")) }
            if method.isWithoutReply { lines.append(Self.annotation("Method.NoReply", "true")) }
            lines.append("  </method>")
        }
        for signal in signals {
            lines.append("  <signal name=\"\(signal.name)\">")
            lines += signal.arguments.map { Self.line($0, direction: nil) }
            lines += Self.qtTypes(signal.arguments, "Out")
            if signal.isDeprecated { lines.append(Self.annotation("Deprecated", "true")) }
            lines.append("  </signal>")
        }
        for property in properties {
            lines.append("  <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"read\">")
            lines += Self.qtType(of: property.signature, "")
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

    private static func qtTypes(_ arguments: [Argument], _ direction: String) -> [String] {
        arguments.enumerated().flatMap { index, argument in
            qtType(of: argument.signature, named: argument.qtType, ".\(direction)\(index)")
        }
    }

    /// The annotation of `qdbusxml2cpp` for a type that it does not know by its signature.
    private static func qtType(
        of signature: StaticString, named name: StaticString? = nil, _ place: String
    ) -> [String] {
        guard let name = name ?? (signature.description == "a{sv}" ? "QVariantMap" : nil) else { return [] }
        return ["    <annotation name=\"org.qtproject.QtDBus.QtTypeName\(place)\" value=\"\(name)\"/>"]
    }

    private static func annotation(_ name: String, _ value: String) -> String {
        "    <annotation name=\"org.freedesktop.DBus.\(name)\" value=\"\(value)\"/>"
    }
}
