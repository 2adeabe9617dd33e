import QtQuick
import QtQuick.Controls
import FlowBus

Presenter {
    name: "org.example.Cinema"
    exitWhenIdle: true
    property Component films: ScreenWindow {
        id: films
        title: "Films"; width: 400; height: 300
        component Film: Button {
            property int film
            width: parent.width; height: parent.height / 3
            onClicked: films.emit("filmPicked", { film: film }).then(({ verdict }) => enabled = verdict !== "rejected")
        }
        TextField { width: parent.width; height: parent.height / 3; placeholderText: "Search"
                    text: films.state.search ?? ""; onTextEdited: films.saveState({ search: text }) }
        Film { y: height; film: 7; text: "The Railway Children" }
        Film { y: 2 * height; film: 18; text: "The Fly" }
    }
    property Component film: ScreenWindow {
        id: film
        title: "Film"; width: 400; height: 300
        Label { anchors.horizontalCenter: parent.horizontalCenter; y: parent.height / 4; text: "Film " + film.arguments.film }
        TextField { y: parent.height / 2; width: parent.width; height: y; placeholderText: "Note"
                    text: film.state.note ?? ""; onTextEdited: film.saveState({ note: text }) }
    }
    Guard { name: "org.example.Cinema"; onAdapt: q => q.arguments.film < 18 ? q.accept() : q.reject("This film is not for children.") }
}
