// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include "basics.h"

#include <QtCore/QMetaType>
#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusMetaType>
#include <QtDBus/QDBusObjectPath>
#include <QtDBus/QDBusSignature>
#include <QtDBus/QDBusVariant>

#include <array>
#include <cmath>
#include <utility>

namespace FlowBus {

namespace {

// The length of the first complete type of a signature; 0 if there is none.
qsizetype lengthOfFirst(QStringView signature)
{
    if (signature.isEmpty())
        return 0;
    const QChar first = signature.front();
    if (first == QLatin1Char('a')) {
        const qsizetype rest = lengthOfFirst(signature.mid(1));
        return rest ? 1 + rest : 0;
    }
    if (first == QLatin1Char('(') || first == QLatin1Char('{')) {
        const QChar end = first == QLatin1Char('(') ? QLatin1Char(')') : QLatin1Char('}');
        qsizetype at = 1;
        while (at < signature.size() && signature[at] != end) {
            const qsizetype length = lengthOfFirst(signature.mid(at));
            if (!length)
                return 0;
            at += length;
        }
        return at < signature.size() && at > 1 ? at + 1 : 0;
    }
    return basic(first) || first == QLatin1Char('v') ? 1 : 0;
}

bool isCompleteType(QStringView signature)
{
    return lengthOfFirst(signature) == signature.size() && !signature.isEmpty();
}

// QDBusArgument wants a C++ type for the elements of an array, which stands for a signature. There is no C++ type for a
// signature that a definition file declares: so one of these is bound to it.
template<int> struct Element
{
};

template<int... numbers> std::array<QMetaType, sizeof...(numbers)> elementTypes(std::integer_sequence<int, numbers...>)
{
    return {QMetaType::fromType<Element<numbers>>()...};
}

QMetaType elementType(const QString &signature)
{
    if (signature == QLatin1String("v"))
        return QMetaType::fromType<QDBusVariant>();
    static const auto free = elementTypes(std::make_integer_sequence<int, 64>());
    static QMap<QString, QMetaType> bound;
    auto found = bound.find(signature);
    if (found == bound.end()) {
        if (bound.size() == qsizetype(free.size()))
            return {};
        const QMetaType type = free[size_t(bound.size())];
        type.id(); // Registers it.
        QDBusMetaType::registerCustomType(type, signature.toLatin1());
        found = bound.insert(signature, type);
    }
    return *found;
}

// Binds the types of all elements in a signature. False if there are too many.
bool bindElements(QStringView signature)
{
    for (qsizetype at = 0; at < signature.size(); ++at) {
        if (signature[at] != QLatin1Char('a'))
            continue;
        const QStringView element = signature.mid(at + 1, lengthOfFirst(signature.mid(at + 1)));
        if (element.front() != QLatin1Char('{')) {
            if (!elementType(element.toString()).isValid())
                return false;
        } else if (!elementType(element.mid(1, 1).toString()).isValid()
                   || !elementType(element.mid(2, element.size() - 3).toString()).isValid()) {
            return false;
        }
    }
    return true;
}

// Writes a value of any type into an argument. Where the value does not fit, it writes another one of the type, as the message
// has to be complete even if it is thrown away.
class Writer
{
public:
    Writer(const QString &what, Problem &problem) : what(what), problem(problem) {}

    void write(QDBusArgument &to, const QString &signature, const QVariant &wrapped)
    {
        const QVariant value = plain(wrapped);
        const QChar first = signature.front();
        if (first == QLatin1Char('v'))
            writeVariant(to, value);
        else if (first == QLatin1Char('('))
            writeStruct(to, signature, value);
        else if (signature.startsWith(QLatin1String("a{")))
            writeMap(to, signature, value);
        else if (first == QLatin1Char('a'))
            writeArray(to, signature, value);
        else if (const Basic *type = basic(first))
            writeBasic(to, *type, value);
        else
            refuse(signature, value);
    }

private:
    void refuse(const QString &signature, const QVariant &value)
    {
        if (problem.isEmpty())
            problem = QStringLiteral("%1 needs %2, not %3").arg(what, typeName(signature), quoted(value));
    }

    void writeVariant(QDBusArgument &to, const QVariant &value)
    {
        const QVariant fitting = toWireUndeclared(value, what, problem);
        to << QDBusVariant(fitting.isValid() ? fitting : QVariant(QString()));
    }

    void writeBasic(QDBusArgument &to, const Basic &type, const QVariant &value)
    {
        QVariant fitting = basicValue(type, value);
        if (!fitting.isValid()) {
            refuse(QString(QLatin1Char(type.code)), value);
            if (type.code == 'o')
                fitting = QVariant::fromValue(QDBusObjectPath(QStringLiteral("/")));
        }
        switch (type.code) {
        case 'b': to << fitting.toBool(); break;
        case 'y': to << fitting.value<uchar>(); break;
        case 'n': to << fitting.value<short>(); break;
        case 'q': to << fitting.value<ushort>(); break;
        case 'i': to << fitting.toInt(); break;
        case 'u': to << fitting.toUInt(); break;
        case 'x': to << fitting.toLongLong(); break;
        case 't': to << fitting.toULongLong(); break;
        case 'd': to << fitting.toDouble(); break;
        case 'o': to << fitting.value<QDBusObjectPath>(); break;
        case 'g': to << fitting.value<QDBusSignature>(); break;
        default: to << fitting.toString(); break;
        }
    }

    void writeArray(QDBusArgument &to, const QString &signature, const QVariant &value)
    {
        const bool isBytes = value.typeId() == QMetaType::QByteArray;
        if (isBytes && signature == QLatin1String("ay")) {
            to << value.toByteArray();
            return;
        }
        const bool isList = value.typeId() == QMetaType::QVariantList || value.typeId() == QMetaType::QStringList;
        if (!isList)
            refuse(signature, value);
        to.beginArray(elementType(signature.mid(1)));
        for (const QVariant &one : isList ? value.toList() : QVariantList())
            write(to, signature.mid(1), one);
        to.endArray();
    }

    void writeMap(QDBusArgument &to, const QString &signature, const QVariant &value)
    {
        const QString key = signature.mid(2, 1);
        const QString of = signature.mid(3, signature.size() - 4);
        if (value.typeId() != QMetaType::QVariantMap)
            refuse(signature, value);
        to.beginMap(elementType(key), elementType(of));
        const QVariantMap map = value.toMap();
        for (auto one = map.begin(); one != map.end(); ++one) {
            to.beginMapEntry();
            write(to, key, one.key());
            write(to, of, one.value());
            to.endMapEntry();
        }
        to.endMap();
    }

    void writeStruct(QDBusArgument &to, const QString &signature, const QVariant &value)
    {
        QStringList members;
        for (qsizetype at = 1; at < signature.size() - 1;) {
            const qsizetype length = lengthOfFirst(QStringView(signature).mid(at));
            members << signature.mid(at, length);
            at += length;
        }
        const QVariantList list = value.toList();
        if (value.typeId() != QMetaType::QVariantList || list.size() != members.size())
            refuse(signature, value);
        to.beginStructure();
        for (qsizetype index = 0; index < members.size(); ++index)
            write(to, members[index], list.value(index));
        to.endStructure();
    }

    const QString &what;
    Problem &problem;
};

QVariant readArgument(const QDBusArgument &from)
{
    switch (from.currentType()) {
    case QDBusArgument::BasicType: return fromWire(from.asVariant());
    case QDBusArgument::VariantType: {
        QDBusVariant variant;
        from >> variant;
        return fromWire(variant.variant());
    }
    case QDBusArgument::ArrayType: {
        if (from.currentSignature() == QLatin1String("ay"))
            return from.asVariant();
        QVariantList list;
        from.beginArray();
        while (!from.atEnd())
            list << readArgument(from);
        from.endArray();
        return list;
    }
    case QDBusArgument::StructureType: {
        QVariantList list;
        from.beginStructure();
        while (!from.atEnd())
            list << readArgument(from);
        from.endStructure();
        return list;
    }
    case QDBusArgument::MapType: {
        QVariantMap map;
        from.beginMap();
        while (!from.atEnd()) {
            from.beginMapEntry();
            const QString key = readArgument(from).toString();
            map.insert(key, readArgument(from));
            from.endMapEntry();
        }
        from.endMap();
        return map;
    }
    default: return {};
    }
}

}

QVariant toWire(const QString &signature, const QVariant &wrapped, const QString &what, Problem &problem)
{
    const QVariant value = plain(wrapped);
    if (!isCompleteType(signature)) {
        problem = QStringLiteral("%1 has the type '%2', which is no D-Bus type, such as 'x' or 'as'").arg(what, signature);
        return {};
    }
    if (value.metaType() == QMetaType::fromType<TypedValue>()) {
        const TypedValue typed = value.value<TypedValue>();
        return toWire(typed.signature, typed.value, what, problem);
    }
    if (const Basic *type = signature.size() == 1 ? basic(signature.front()) : nullptr) {
        const QVariant fitting = basicValue(*type, value);
        if (!fitting.isValid() && problem.isEmpty())
            problem = QStringLiteral("%1 needs %2, not %3").arg(what, typeName(signature), quoted(value));
        return fitting;
    }
    QDBusArgument argument;
    if (signature == QLatin1String("v")) {
        const QVariant inner = toWireUndeclared(value, what, problem);
        return QVariant::fromValue(QDBusVariant(inner));
    }
    if (!bindElements(signature)) {
        problem = QStringLiteral("%1 has the type '%2', and this program has used too many other ones").arg(what, signature);
        return {};
    }
    Writer(what, problem).write(argument, signature, value);
    return QVariant::fromValue(argument);
}

QVariant toWireUndeclared(const QVariant &wrapped, const QString &what, Problem &problem)
{
    const QVariant value = plain(wrapped);
    if (value.metaType() == QMetaType::fromType<TypedValue>()) {
        const TypedValue typed = value.value<TypedValue>();
        return toWire(typed.signature, typed.value, what, problem);
    }
    switch (value.typeId()) {
    case QMetaType::Bool:
    case QMetaType::QString:
    case QMetaType::QByteArray: return value;
    case QMetaType::Int:
    case QMetaType::UInt:
    case QMetaType::LongLong: return value.toLongLong();
    case QMetaType::ULongLong: return value;
    case QMetaType::QUrl: return value.toString();
    case QMetaType::Double: {
        const double number = value.toDouble();
        const bool isWhole = std::trunc(number) == number && std::abs(number) <= exactLimit;
        return isWhole ? QVariant(qlonglong(number)) : value;
    }
    case QMetaType::QStringList: return value;
    case QMetaType::QVariantList: {
        QVariantList list;
        bool onlyStrings = true;
        for (const QVariant &one : value.toList()) {
            list << toWireUndeclared(one, what, problem);
            onlyStrings = onlyStrings && isString(list.last());
        }
        if (!problem.isEmpty())
            return {};
        if (onlyStrings && !list.isEmpty())
            return QVariant(list).toStringList();
        return list;
    }
    case QMetaType::QVariantMap: return toWireMap(value.toMap(), what + QStringLiteral(": value"), problem);
    default: break;
    }
    if (problem.isEmpty())
        problem = QStringLiteral("%1 is %2, which can't be sent; numbers, strings, booleans, lists and objects can")
                      .arg(what, isNothing(value) ? quoted(value)
                                                  : QStringLiteral("of the type '%1'").arg(QLatin1String(value.typeName())));
    return {};
}

QVariantMap toWireMap(const QVariantMap &values, const QString &kind, Problem &problem)
{
    QVariantMap map;
    for (auto one = values.begin(); one != values.end(); ++one) {
        const QVariant value = plain(one.value());
        if (isNothing(value))
            continue;
        map.insert(one.key(), toWireUndeclared(value, QStringLiteral("%1 '%2'").arg(kind, one.key()), problem));
    }
    return map;
}

QVariantMap toWireArguments(const ArgumentTypes &types, const QVariantMap &values, const QString &owner, Problem &problem)
{
    QVariantMap map;
    for (auto one = values.begin(); one != values.end() && problem.isEmpty(); ++one) {
        const QVariant value = plain(one.value());
        const auto type = types.find(one.key());
        if (type == types.end()) {
            const QStringList names = types.keys();
            problem = QStringLiteral("%1 has no argument '%2'; %3").arg(owner, one.key(),
                names.isEmpty() ? QStringLiteral("it has none")
                                : QStringLiteral("it has '%1'").arg(names.join(QLatin1String("', '"))));
            return {};
        }
        QString signature = *type;
        const bool isOptional = signature.endsWith(QLatin1Char('?'));
        if (isOptional)
            signature.chop(1);
        if (isNothing(value) && isOptional)
            continue;
        map.insert(one.key(), toWire(signature, value, QStringLiteral("%1: argument '%2'").arg(owner, one.key()), problem));
    }
    for (auto type = types.begin(); type != types.end() && problem.isEmpty(); ++type) {
        if (!type->endsWith(QLatin1Char('?')) && !map.contains(type.key()))
            problem = QStringLiteral("%1 needs the argument '%2' (%3)").arg(owner, type.key(), typeName(*type));
    }
    return map;
}

QVariant fromWire(const QVariant &value)
{
    const QMetaType type = value.metaType();
    if (type == QMetaType::fromType<QDBusArgument>())
        return readArgument(value.value<QDBusArgument>());
    if (type == QMetaType::fromType<QDBusVariant>())
        return fromWire(value.value<QDBusVariant>().variant());
    if (type == QMetaType::fromType<QDBusObjectPath>())
        return value.value<QDBusObjectPath>().path();
    if (type == QMetaType::fromType<QDBusSignature>())
        return value.value<QDBusSignature>().signature();
    switch (value.typeId()) {
    case QMetaType::LongLong: {
        const qlonglong number = value.toLongLong();
        return qAbs(double(number)) <= exactLimit ? value : QVariant(QString::number(number));
    }
    case QMetaType::ULongLong: {
        const qulonglong number = value.toULongLong();
        return double(number) <= exactLimit ? value : QVariant(QString::number(number));
    }
    case QMetaType::UChar:
    case QMetaType::Short:
    case QMetaType::UShort: return value.toInt();
    case QMetaType::QVariantMap: return fromWireMap(value);
    case QMetaType::QVariantList: {
        QVariantList list;
        for (const QVariant &one : value.toList())
            list << fromWire(one);
        return list;
    }
    default: return value;
    }
}

QVariantMap fromWireMap(const QVariant &value)
{
    if (value.metaType() == QMetaType::fromType<QDBusArgument>())
        return readArgument(value.value<QDBusArgument>()).toMap();
    QVariantMap map = value.toMap();
    for (QVariant &one : map)
        one = fromWire(one);
    return map;
}

}
