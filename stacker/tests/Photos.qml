// org.example.Photos of `screens`, by the module for QML. Each colour is that of the name of its screen.
import QtQuick
import FlowBus

Presenter {
    name: "org.example.Photos"
    property Component album: ScreenWindow { width: 320; height: 240; color: Qt.hsla(251 / 360, 0.6, 0.75, 1) }
    property Component photo: ScreenWindow { width: 320; height: 240; color: Qt.hsla(224 / 360, 0.6, 0.75, 1) }
}
