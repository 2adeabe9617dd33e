"""The apps of the device: for each, its title and its icon. The definitions say which flow an app is."""

APPS = {
    "movies": ("Movies", "camera-video-symbolic"),
    "player": ("Player", "emblem-music-symbolic"),
    "contacts": ("Contacts", "system-users-symbolic"),
    "characters": ("Characters", "accessories-character-map-symbolic"),
    "settings": ("Settings", "emblem-system-symbolic"),
}
