// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service.h"

/*!
    \qmltype Question
    \brief A question of flowbusd to a Guard: whether a flow takes a step, and which one.

    It is answered once: by accept(), replace(), reject() or fail(), in the handler or, after hold(), later.
*/
class FlowBusQuestion : public QObject
{
    Q_OBJECT
    QML_NAMED_ELEMENT(Question)
    QML_UNCREATABLE("A Guard makes it")

    /*! The path of the flow that is to take the step. */
    Q_PROPERTY(QString flow READ flow CONSTANT FINAL)
    /*! The name of the step. */
    Q_PROPERTY(QString step READ step CONSTANT FINAL)
    /*! Its arguments. */
    Q_PROPERTY(QVariant arguments READ arguments CONSTANT FINAL)
    /*! The unique name of the client that the step originates from. */
    Q_PROPERTY(QString sender READ sender CONSTANT FINAL)
    /*! The path of the presentable that the step was emitted on. */
    Q_PROPERTY(QString presentable READ presentable CONSTANT FINAL)
    /*! The instance of that presentable. */
    Q_PROPERTY(qulonglong instance READ instance CONSTANT FINAL)
    /*! The serial of the navigation that triggered the step; 0 if none did. */
    Q_PROPERTY(qulonglong cause READ cause CONSTANT FINAL)
    /*! Whether the guard may ask the user. */
    Q_PROPERTY(bool interactive READ interactive CONSTANT FINAL)
    /*! Everything that the call says beside the arguments. */
    Q_PROPERTY(QVariant details READ details CONSTANT FINAL)
    /*! Whether it has its answer. */
    Q_PROPERTY(bool answered READ answered NOTIFY answeredChanged FINAL)

public:
    FlowBusQuestion(FlowBus::Bus *bus, const QDBusMessage &message);
    ~FlowBusQuestion() override;

    QString flow() const;
    QString step() const;
    QVariant arguments() const;
    QVariant details() const { return m_details; }
    QString sender() const { return m_details.value(QStringLiteral("sender")).toString(); }
    QString presentable() const { return m_details.value(QStringLiteral("presentable")).toString(); }
    qulonglong instance() const { return m_details.value(QStringLiteral("instance")).toULongLong(); }
    qulonglong cause() const { return m_details.value(QStringLiteral("cause")).toULongLong(); }
    bool interactive() const { return m_details.value(QStringLiteral("interactive")).toBool(); }
    bool answered() const { return m_isAnswered; }
    bool isHeld() const { return m_isHeld; }

    /*! \qmlmethod void Question::accept()
        Lets the step pass. */
    Q_INVOKABLE void accept();
    /*! \qmlmethod void Question::replace(string step, object arguments)
        Has the flow take another step. The arguments get the types that it declares. */
    Q_INVOKABLE void replace(const QString &step, const QVariantMap &arguments = {});
    /*! \qmlmethod void Question::reject(string message)
        Refuses the step: its verdict is "rejected". */
    Q_INVOKABLE void reject(const QString &message = {});
    /*! \qmlmethod void Question::fail(string message)
        Says that the guard could not decide: the step fails with GuardFailed. */
    Q_INVOKABLE void fail(const QString &message);
    /*! \qmlmethod void Question::hold()
        Puts off the answer, for instance to ask the user. Keep the question in a property until then. */
    Q_INVOKABLE void hold() { m_isHeld = true; }

Q_SIGNALS:
    void answeredChanged();

private:
    bool take();
    void send(const QDBusMessage &reply);

    QPointer<FlowBus::Bus> m_bus;
    QDBusMessage m_message;
    QVariantMap m_details;
    bool m_isAnswered = false;
    bool m_isHeld = false;
};

/*!
    \qmltype Guard
    \brief Decides whether flows take steps.

    flowbusd calls it for the flows whose definition names it as \c guard.

    \qml
    Guard {
        name: "org.example.Cinema"
        onAdapt: question => question.arguments.film < 18 ? question.accept() : question.reject("not for children")
    }
    \endqml
*/
class FlowBusGuard : public FlowBusService
{
    Q_OBJECT
    QML_NAMED_ELEMENT(Guard)

public:
    explicit FlowBusGuard(QObject *parent = nullptr) : FlowBusService(FlowBus::Endpoint::GuardRole, parent) {}

    void componentComplete() override;

Q_SIGNALS:
    /*! A flow is to take a step. A handler that does not answer the question, and does not hold it, fails the step. */
    void adapt(FlowBusQuestion *question);

private:
    void called(const QDBusMessage &message) override;
    void nameChanged(bool isOwned) override { setNameOwned(isOwned); }
};
