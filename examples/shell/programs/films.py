"""Silent films, and who played in them."""

PEOPLE = {
    1: ("Brigitte Helm", "1906–1996", "She was 18 when she played both Maria and the machine that looks like her."),
    2: ("Gustav Fröhlich", "1902–1987", "A stage actor; Metropolis was his first leading part."),
    3: ("Max Schreck", "1879–1936", "He had played on the stage for twenty years before he became Count Orlok."),
    4: ("Greta Schröder", "1892–1980", "An actress and writer from Düsseldorf."),
    5: ("Buster Keaton", "1895–1966", "He did his own stunts, and never smiled in front of a camera."),
    6: ("Marion Mack", "1902–1989", "She wrote screenplays, too, and was a producer."),
    7: ("Kathryn McGuire", "1903–1978", "A dancer, and Keaton's partner in two films."),
    8: ("Harold Lloyd", "1893–1971", "He hung from the clock himself, with eight fingers."),
    9: ("Mildred Davis", "1901–1969", "She made fifteen films with Harold Lloyd, and married him."),
    10: ("Falconetti", "1892–1946", "A comedian of the Paris stage. This is her last film."),
    11: ("Lotte Reiniger", "1899–1981", "She cut every figure of her films from card, with scissors."),
}

# For each film: its title, year, director, colour, what it is about, and its cast.
FILMS = {
    1: ("Metropolis", 1927, "Fritz Lang", "blue", "The son of a city's master goes down to those who keep its machines running.", (1, 2)),
    2: ("Nosferatu", 1922, "F. W. Murnau", "slate", "A clerk sells a house to a count who does not like the light of day.", (3, 4)),
    3: ("The General", 1926, "Buster Keaton", "orange", "An engine driver follows those who have stolen his locomotive.", (5, 6)),
    4: ("Sherlock Jr.", 1924, "Buster Keaton", "green", "A projectionist falls asleep and walks into the film.", (5, 7)),
    5: ("Safety Last!", 1923, "F. Newmeyer", "purple", "A salesman climbs a department store from the outside.", (8, 9)),
    6: ("Joan of Arc", 1928, "Carl Th. Dreyer", "red", "Her trial, in faces.", (10,)),
    7: ("Prince Achmed", 1926, "Lotte Reiniger", "blue", "A magician's horse carries a prince too far, in silhouettes.", (11,)),
    8: ("The Navigator", 1924, "Buster Keaton", "slate", "Two people who never did a thing themselves are alone on a ship.", (5, 7)),
}
