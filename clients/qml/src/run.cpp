// SPDX-License-Identifier: Apache-2.0
//
// flowbus-qml FILE   Runs a file of QML, such as a Presenter with its screens.

#include <QtCore/QCommandLineParser>
#include <QtCore/QFileInfo>
#include <QtCore/QUrl>
#include <QtGui/QGuiApplication>
#include <QtQml/QQmlApplicationEngine>

#include <cstdio>

int main(int count, char **arguments)
{
    QGuiApplication application(count, arguments);
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Runs a file of QML, such as a Presenter with its screens."));
    parser.addHelpOption();
    const QCommandLineOption imports(QStringLiteral("I"), QStringLiteral("A folder with QML modules."), QStringLiteral("folder"));
    parser.addOption(imports);
    parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("The file of QML."));
    parser.process(application);
    const QStringList files = parser.positionalArguments();
    if (files.size() != 1) {
        std::fprintf(stderr, "flowbus-qml: one file of QML is needed, not %d\n", int(files.size()));
        return 64;
    }
    if (!QFileInfo::exists(files.first())) {
        std::fprintf(stderr, "flowbus-qml: there is no file '%s'\n", qUtf8Printable(files.first()));
        return 66;
    }
    QQmlApplicationEngine engine;
    for (const QString &folder : parser.values(imports))
        engine.addImportPath(folder);
    engine.load(QUrl::fromLocalFile(QFileInfo(files.first()).absoluteFilePath()));
    // QML has said what is wrong.
    return engine.rootObjects().isEmpty() ? 1 : QGuiApplication::exec();
}
