// SPDX-License-Identifier: Apache-2.0
//
// The types that org.qtproject.QtDBus.QtTypeName names in org.flowbus.Navigation1.*.xml, for Qt 5.15 and Qt 6:
//
//     qdbusxml2cpp -i flowbus-qt-types.h -p stepper org.flowbus.Navigation1.Stepper.xml
//
// Call flowBusRegisterTypes() once, before the first call or signal that has one of them.
#ifndef FLOWBUS_QT_TYPES_H
#define FLOWBUS_QT_TYPES_H

#include <QtCore/QList>
#include <QtCore/QMap>
#include <QtCore/QMetaType>
#include <QtCore/QString>
#include <QtCore/QVariant>
#include <QtDBus/QDBusArgument>
#include <QtDBus/QDBusMetaType>
#include <QtDBus/QDBusObjectPath>

// A struct that goes over the bus as its members in order.
#define FLOWBUS_MEMBERS(Type, write, read)                                                                             \
    inline QDBusArgument &operator<<(QDBusArgument &argument, const Type &value)                                       \
    {                                                                                                                  \
        argument.beginStructure();                                                                                     \
        argument << write;                                                                                             \
        argument.endStructure();                                                                                       \
        return argument;                                                                                               \
    }                                                                                                                  \
    inline const QDBusArgument &operator>>(const QDBusArgument &argument, Type &value)                                 \
    {                                                                                                                  \
        argument.beginStructure();                                                                                     \
        argument >> read;                                                                                              \
        argument.endStructure();                                                                                       \
        return argument;                                                                                               \
    }                                                                                                                  \
    Q_DECLARE_METATYPE(Type)                                                                                           \
    Q_DECLARE_METATYPE(Type##List)

// One step of EmitSteps: (sa{sv}).
struct FlowBusStep
{
    QString name;
    QVariantMap arguments;
};
typedef QList<FlowBusStep> FlowBusStepList;
FLOWBUS_MEMBERS(FlowBusStep, value.name << value.arguments, value.name >> value.arguments)

// The outcome of one step of EmitSteps: (tsss).
struct FlowBusStepOutcome
{
    qulonglong serial = 0;
    QString verdict;
    QString errorName;
    QString errorMessage;
};
typedef QList<FlowBusStepOutcome> FlowBusStepOutcomeList;
FLOWBUS_MEMBERS(FlowBusStepOutcome, value.serial << value.verdict << value.errorName << value.errorMessage,
                value.serial >> value.verdict >> value.errorName >> value.errorMessage)

// The outcome of a deep link in one flow: (otsss).
struct FlowBusFlowOutcome
{
    QDBusObjectPath flow;
    qulonglong serial = 0;
    QString verdict;
    QString errorName;
    QString errorMessage;
};
typedef QList<FlowBusFlowOutcome> FlowBusFlowOutcomeList;
FLOWBUS_MEMBERS(FlowBusFlowOutcome,
                value.flow << value.serial << value.verdict << value.errorName << value.errorMessage,
                value.flow >> value.serial >> value.verdict >> value.errorName >> value.errorMessage)

// One segment of NavigateAlong: (ssa{sv}).
struct FlowBusPathSegment
{
    QString flow;
    QString step;
    QVariantMap arguments;
};
typedef QList<FlowBusPathSegment> FlowBusPathSegmentList;
FLOWBUS_MEMBERS(FlowBusPathSegment, value.flow << value.step << value.arguments,
                value.flow >> value.step >> value.arguments)

// One contributor that a navigator answers with: (ssa{sv}).
struct FlowBusContributor
{
    QString kind;
    QString name;
    QVariantMap options;
};
typedef QList<FlowBusContributor> FlowBusContributorList;
FLOWBUS_MEMBERS(FlowBusContributor, value.kind << value.name << value.options,
                value.kind >> value.name >> value.options)

// One contributor of NavigationOccurred: (ssoa{sv}).
struct FlowBusAppliedContributor
{
    QString kind;
    QString name;
    QDBusObjectPath path;
    QVariantMap options;
};
typedef QList<FlowBusAppliedContributor> FlowBusAppliedContributorList;
FLOWBUS_MEMBERS(FlowBusAppliedContributor, value.kind << value.name << value.path << value.options,
                value.kind >> value.name >> value.path >> value.options)

// One presentable of ListOwned: (ot).
struct FlowBusOwnedPresentable
{
    QDBusObjectPath path;
    qulonglong instance = 0;
};
typedef QList<FlowBusOwnedPresentable> FlowBusOwnedPresentableList;
FLOWBUS_MEMBERS(FlowBusOwnedPresentable, value.path << value.instance, value.path >> value.instance)

// One screen of GetStack: (ota{sv}).
struct FlowBusStackedScreen
{
    QDBusObjectPath path;
    qulonglong instance = 0;
    QVariantMap details;
};
typedef QList<FlowBusStackedScreen> FlowBusStackedScreenList;
FLOWBUS_MEMBERS(FlowBusStackedScreen, value.path << value.instance << value.details,
                value.path >> value.instance >> value.details)

// One entry of GetTimings: (ssuttttt). Times are in µs.
struct FlowBusTiming
{
    QString screen;
    QString start;
    uint count = 0;
    qulonglong p50 = 0;
    qulonglong p90 = 0;
    qulonglong p99 = 0;
    qulonglong max = 0;
    qulonglong last = 0;
};
typedef QList<FlowBusTiming> FlowBusTimingList;
FLOWBUS_MEMBERS(FlowBusTiming,
                value.screen << value.start << value.count << value.p50 << value.p90 << value.p99 << value.max
                             << value.last,
                value.screen >> value.start >> value.count >> value.p50 >> value.p90 >> value.p99 >> value.max
                             >> value.last)

// One timer of GetTimers: (osst). The time that is left is in µs.
struct FlowBusTimer
{
    QDBusObjectPath flow;
    QString kind;
    QString step;
    qulonglong left = 0;
};
typedef QList<FlowBusTimer> FlowBusTimerList;
FLOWBUS_MEMBERS(FlowBusTimer, value.flow << value.kind << value.step << value.left,
                value.flow >> value.kind >> value.step >> value.left)

// One stepper of GetSteppers: (ssssa{sv}).
struct FlowBusStepper
{
    QString flow;
    QString step;
    QString service;
    QString member;
    QVariantMap details;
};
typedef QList<FlowBusStepper> FlowBusStepperList;
FLOWBUS_MEMBERS(FlowBusStepper, value.flow << value.step << value.service << value.member << value.details,
                value.flow >> value.step >> value.service >> value.member >> value.details)

// One navigation of GetHistory: (tossa{sv}a{sv}).
struct FlowBusHistoryEntry
{
    qulonglong serial = 0;
    QDBusObjectPath flow;
    QString definition;
    QString step;
    QVariantMap arguments;
    QVariantMap details;
};
typedef QList<FlowBusHistoryEntry> FlowBusHistoryEntryList;
FLOWBUS_MEMBERS(FlowBusHistoryEntry,
                value.serial << value.flow << value.definition << value.step << value.arguments << value.details,
                value.serial >> value.flow >> value.definition >> value.step >> value.arguments >> value.details)

// Names, and for each the types of its arguments by their names: a{sa{ss}}.
typedef QMap<QString, QString> FlowBusArgumentTypes;
typedef QMap<QString, FlowBusArgumentTypes> FlowBusDeclarations;
Q_DECLARE_METATYPE(FlowBusArgumentTypes)
Q_DECLARE_METATYPE(FlowBusDeclarations)

#undef FLOWBUS_MEMBERS

// Makes all of them known to Qt's D-Bus library.
inline void flowBusRegisterTypes()
{
    qDBusRegisterMetaType<FlowBusStep>();
    qDBusRegisterMetaType<FlowBusStepList>();
    qDBusRegisterMetaType<FlowBusStepOutcome>();
    qDBusRegisterMetaType<FlowBusStepOutcomeList>();
    qDBusRegisterMetaType<FlowBusFlowOutcome>();
    qDBusRegisterMetaType<FlowBusFlowOutcomeList>();
    qDBusRegisterMetaType<FlowBusPathSegment>();
    qDBusRegisterMetaType<FlowBusPathSegmentList>();
    qDBusRegisterMetaType<FlowBusContributor>();
    qDBusRegisterMetaType<FlowBusContributorList>();
    qDBusRegisterMetaType<FlowBusAppliedContributor>();
    qDBusRegisterMetaType<FlowBusAppliedContributorList>();
    qDBusRegisterMetaType<FlowBusOwnedPresentable>();
    qDBusRegisterMetaType<FlowBusOwnedPresentableList>();
    qDBusRegisterMetaType<FlowBusStackedScreen>();
    qDBusRegisterMetaType<FlowBusStackedScreenList>();
    qDBusRegisterMetaType<FlowBusTiming>();
    qDBusRegisterMetaType<FlowBusTimingList>();
    qDBusRegisterMetaType<FlowBusTimer>();
    qDBusRegisterMetaType<FlowBusTimerList>();
    qDBusRegisterMetaType<FlowBusStepper>();
    qDBusRegisterMetaType<FlowBusStepperList>();
    qDBusRegisterMetaType<FlowBusHistoryEntry>();
    qDBusRegisterMetaType<FlowBusHistoryEntryList>();
    qDBusRegisterMetaType<FlowBusArgumentTypes>();
    qDBusRegisterMetaType<FlowBusDeclarations>();
}

#endif
