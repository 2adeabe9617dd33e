import QtQuick
import QtQuick.Controls
import FlowBus

Presenter {
    name: "org.example.Cinema"
    exitWhenIdle: true
    Guard {
        name: "org.example.Cinema"
        onAdapt: question => question.arguments.film < 18 ? question.accept() : question.reject("not for children")
    }
    property Component films: ScreenWindow {
        id: films
        title: "Films"; width: 400; height: 300
        TextField {
            width: parent.width; height: parent.height / 3; placeholderText: "Search"
            text: films.state.search ?? ""; onTextEdited: films.saveState({ search: text })
        }
        Button { y: parent.height / 3; width: parent.width; height: y; text: "Totoro"; onClicked: films.emit("filmPicked", { film: 6 }) }
        Button { y: parent.height * 2 / 3; width: parent.width; height: y / 2; text: "Alien"; onClicked: films.emit("filmPicked", { film: 18 }) }
    }
    property Component film: ScreenWindow {
        id: film
        title: "Film"; width: 400; height: 300
        Label { anchors.centerIn: parent; text: "Film " + film.arguments.film }
        TextField { y: parent.height / 2; width: parent.width; height: y; placeholderText: "Note"
                    text: film.state.note ?? ""; onTextEdited: film.saveState({ note: text }) }
    }
}
