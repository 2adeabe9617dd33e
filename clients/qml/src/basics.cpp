// SPDX-License-Identifier: Apache-2.0
#include "basics.h"

#include <QtDBus/QDBusObjectPath>
#include <QtDBus/QDBusSignature>
#include <QtQml/QJSValue>

#include <array>
#include <cmath>
#include <limits>

namespace FlowBus {

namespace {

constexpr std::array basics{
    Basic{'b', "bool", 0, 0},
    Basic{'y', "byte", 0, std::numeric_limits<uchar>::max()},
    Basic{'n', "int16", std::numeric_limits<qint16>::min(), quint64(std::numeric_limits<qint16>::max())},
    Basic{'q', "uint16", 0, std::numeric_limits<quint16>::max()},
    Basic{'i', "int32", std::numeric_limits<qint32>::min(), quint64(std::numeric_limits<qint32>::max())},
    Basic{'u', "uint32", 0, std::numeric_limits<quint32>::max()},
    Basic{'x', "int64", std::numeric_limits<qint64>::min(), quint64(std::numeric_limits<qint64>::max())},
    Basic{'t', "uint64", 0, std::numeric_limits<quint64>::max()},
    Basic{'d', "double", 0, 0},
    Basic{'s', "string", 0, 0},
    Basic{'o', "path", 0, 0},
    Basic{'g', "g", 0, 0},
};

// An integer, written as a number or, where it may be beyond what a number of JavaScript holds, as a string.
QVariant integer(const Basic &type, const QVariant &value)
{
    bool fine = false;
    bool negative = false;
    quint64 magnitude = 0;
    if (isString(value)) {
        const QString text = value.toString();
        negative = text.startsWith(QLatin1Char('-'));
        magnitude = negative ? quint64(0) - quint64(text.toLongLong(&fine)) : text.toULongLong(&fine);
    } else if (value.typeId() == QMetaType::Double || value.typeId() == QMetaType::Float) {
        const double number = value.toDouble();
        fine = std::trunc(number) == number && std::abs(number) <= exactLimit;
        negative = number < 0;
        magnitude = fine ? quint64(std::abs(number)) : 0;
    } else if (value.typeId() != QMetaType::Bool && value.canConvert<qlonglong>()) {
        fine = true;
        const bool isUnsigned = value.typeId() == QMetaType::ULongLong;
        negative = !isUnsigned && value.toLongLong() < 0;
        magnitude = negative ? quint64(0) - quint64(value.toLongLong()) : value.toULongLong();
    }
    if (!fine || (negative ? magnitude > quint64(0) - quint64(type.least) : magnitude > type.greatest))
        return {};
    const qint64 number = qint64(negative ? quint64(0) - magnitude : magnitude);
    switch (type.code) {
    case 'y': return QVariant::fromValue(uchar(magnitude));
    case 'n': return QVariant::fromValue(short(number));
    case 'q': return QVariant::fromValue(ushort(magnitude));
    case 'i': return int(number);
    case 'u': return uint(magnitude);
    case 'x': return qlonglong(number);
    default: return qulonglong(magnitude);
    }
}

}

const Basic *basic(QChar code)
{
    for (const Basic &one : basics) {
        if (QLatin1Char(one.code) == code)
            return &one;
    }
    return nullptr;
}

bool isString(const QVariant &value)
{
    return value.metaType() == QMetaType::fromType<QString>();
}

bool isNothing(const QVariant &value)
{
    return !value.isValid() || value.metaType() == QMetaType::fromType<std::nullptr_t>();
}

QString quoted(const QVariant &value)
{
    switch (value.typeId()) {
    case QMetaType::QVariantMap: return QStringLiteral("an object");
    case QMetaType::QVariantList:
    case QMetaType::QStringList: return QStringLiteral("a list");
    default: break;
    }
    if (isNothing(value))
        return value.isValid() ? QStringLiteral("null") : QStringLiteral("undefined");
    const QString text = value.toString();
    return isString(value) ? QStringLiteral("the string '%1'").arg(text.left(40)) : QStringLiteral("'%1'").arg(text);
}

QVariant plain(const QVariant &value)
{
    if (value.metaType() == QMetaType::fromType<QJSValue>()) {
        const QJSValue script = value.value<QJSValue>();
        return script.isNull() ? QVariant::fromValue(nullptr) : script.toVariant();
    }
    return value;
}

QVariant basicValue(const Basic &type, const QVariant &value)
{
    switch (type.code) {
    case 'b': return value.typeId() == QMetaType::Bool ? value : QVariant();
    case 'd': {
        const int id = value.typeId();
        const bool isNumber = id == QMetaType::Double || id == QMetaType::Int || id == QMetaType::UInt
            || id == QMetaType::LongLong || id == QMetaType::ULongLong;
        return isNumber ? QVariant(value.toDouble()) : QVariant();
    }
    case 's': return isString(value) || value.typeId() == QMetaType::QUrl ? QVariant(value.toString()) : QVariant();
    case 'o': {
        if (!isString(value))
            return {};
        const QDBusObjectPath path(value.toString());
        return path.path().isEmpty() ? QVariant() : QVariant::fromValue(path);
    }
    case 'g': {
        if (!isString(value))
            return {};
        const QDBusSignature signature(value.toString());
        return signature.signature().isEmpty() && !value.toString().isEmpty() ? QVariant() : QVariant::fromValue(signature);
    }
    default: return integer(type, value);
    }
}

QString typeName(const QString &signature)
{
    if (signature.size() == 1) {
        if (const Basic *type = basic(signature.front()))
            return QLatin1String(type->name);
    }
    return QStringLiteral("'%1'").arg(signature);
}

}
