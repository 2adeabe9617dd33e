"""Where a finger finds things: in which window, and at which parts of its width and height."""

HOME = {
    "movies": (0.275, 0.32), "player": (0.5, 0.32), "contacts": (0.725, 0.32), "characters": (0.275, 0.68), "settings": (0.5, 0.68),
}
BAR = {"back": (0.031, 0.5), "home": (0.082, 0.5), "switcher": (0.918, 0.5), "lock": (0.969, 0.5)}
MOVIES = {"first": (0.11, 0.4), "search": (0.5, 0.07)}
MOVIE = {"cast": (0.36, 0.31), "recommend": (0.36, 0.55), "note": (0.6, 0.46)}
CONTACTS = {"search": (0.5, 0.06), "ada": (0.5, 0.19), "grace": (0.5, 0.53)}
SETTINGS = {"contact": (0.5, 0.34)}
RINGING = {"decline": (0.435, 0.71), "accept": (0.566, 0.71)}
TALKING = {"end": (0.5, 0.71)}
PLAYER = {"play": (0.5, 0.77)}
STILL_THERE = {"here": (0.5, 0.7)}
LOCK = {"anywhere": (0.5, 0.5)}
# By how many there are. The first card, which is the app in front, is on the left.
CARDS = {1: {"close": (0.5, 0.66)}, 3: {"first": (0.28, 0.45), "third": (0.72, 0.45)}, 4: {"close first": (0.176, 0.66), "third": (0.6, 0.45)}}
