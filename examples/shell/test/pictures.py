"""Pictures of the display, compared with kept ones.

A picture is scaled down to squares of 16 pixels, of which only the mean colour counts: what differs between two versions of a font
or of GTK, by a pixel or a shade, does not matter; that a window, a line of text or a button is elsewhere or gone does. The kept picture
is of these squares, and has a few kB. Squares of areas that vary, such as one with the time, do not count.
"""

import glob
import os
import shutil
import time

import gi

gi.require_version("GdkPixbuf", "2.0")
gi.require_version("Gtk", "4.0")
from gi.repository import GdkPixbuf, Gtk  # noqa: E402

SQUARE = 16
TOLERANCE = 24  # of 255, in each of the three colours
CLOCK = (848, 0, 64, 48)  # The time in the bar.
# Squares that may differ, of 2560. The kept pictures are of GTK 4.8; 4.18 has what is below a row of buttons a few pixels elsewhere, and up
# to 25 squares of a page differ.
FEW = 12 if Gtk.get_minor_version() == 8 else 32


def squares(file):
    """The picture of the squares of a picture."""
    return squares_of(GdkPixbuf.Pixbuf.new_from_file(file))


def squares_of(picture):
    """The same, of a picture that is in no file."""
    if picture.get_has_alpha():
        picture = picture.composite_color_simple(
            picture.get_width(), picture.get_height(), GdkPixbuf.InterpType.NEAREST, 255, SQUARE, 0, 0)
    return picture.scale_simple(picture.get_width() // SQUARE, picture.get_height() // SQUARE, GdkPixbuf.InterpType.BILINEAR)


def colours(picture):
    """The colours of a small picture, by column and row."""
    pixels, stride, channels = picture.get_pixels(), picture.get_rowstride(), picture.get_n_channels()
    return {(x, y): pixels[y * stride + x * channels:][:3] for y in range(picture.get_height()) for x in range(picture.get_width())}


def save(file, kept):
    """Keeps the squares of a picture."""
    squares(file).savev(kept, "png", [], [])


def counted(picture, varying):
    """The colours that count: of all squares but those in areas that vary, each given as x, y, width, height."""
    return {(x, y): colour for (x, y), colour in colours(picture).items()
            if not any(left <= x * SQUARE < left + width and top <= y * SQUARE < top + height for left, top, width, height in varying)}


def counted_squares(picture, varying):
    """The colours of the squares of a picture that count."""
    return counted(squares_of(picture), varying)


def differ(one, other):
    """Whether two colours are not the same."""
    return max(abs(a - b) for a, b in zip(one, other)) > TOLERANCE


def settle(shoot, file, varying=()):
    """Takes pictures until nothing has changed for a second."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 1:
        shoot(file)
        now = counted(squares(file), varying)
        if now != before:
            before, since = now, time.monotonic()


def difference(file, kept, varying=()):
    """What differs from a kept picture, as text; empty if it is the same."""
    now, then = counted(squares(file), varying), counted(GdkPixbuf.Pixbuf.new_from_file(kept), varying)
    if now.keys() != then.keys():
        return f"its size is not that of '{kept}'"
    found = [it for it in now if differ(now[it], then[it])]
    if len(found) <= FEW:
        return ""
    left, top = (min(it[at] for it in found) * SQUARE for at in (0, 1))
    right, bottom = (max(it[at] + 1 for it in found) * SQUARE for at in (0, 1))
    return f"{len(found)} squares differ from '{kept}', between ({left}, {top}) and ({right}, {bottom})"


def replace(seen, folder):
    """Replaces the pictures of a folder by new ones that show something else, but for the time."""
    for file in sorted(glob.glob(f"{seen}/*.png")):
        kept = f"{folder}/{os.path.basename(file)}"
        if not os.path.exists(kept) or counted(squares(file), [CLOCK]) != counted(squares(kept), [CLOCK]):
            shutil.copy(file, kept)
