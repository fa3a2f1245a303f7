"""Play: a seat at the table against agents; every move is stored as it is made."""

from ui.play.view import page, show

if __name__ == "__main__":
    with page.open("Play"):
        show()
        page.write()
