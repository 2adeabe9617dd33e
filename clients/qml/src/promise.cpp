// SPDX-License-Identifier: Apache-2.0
#include "promise.h"

#include <QtQml/qqml.h>

namespace FlowBus {

Promise::Promise(const QObject *of) : engine(qjsEngine(of))
{
    if (!engine)
        return;
    const QJSValue parts = engine->evaluate(QStringLiteral(
        "(() => { const parts = {}; parts.promise = new Promise((resolve, reject) => { parts.resolve = resolve;"
        " parts.reject = (name, message) => reject(Object.defineProperty(new Error(message), 'name', { value: name })) });"
        " return parts })()"));
    promise = parts.property(QStringLiteral("promise"));
    resolver = parts.property(QStringLiteral("resolve"));
    rejecter = parts.property(QStringLiteral("reject"));
}

void Promise::resolve(const QJSValue &value) const
{
    if (engine)
        resolver.call({value});
}

void Promise::resolve(const QVariant &value) const
{
    if (engine)
        resolver.call({engine->toScriptValue(value)});
}

void Promise::reject(const QString &name, const QString &message) const
{
    if (!engine)
        return;
    rejecter.call({name, message});
}

}
