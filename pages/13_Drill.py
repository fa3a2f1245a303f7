"""Drill: decisions to be taken again, judged beforehand, repeated until they are known."""

from ui.drill.view import page, show

if __name__ == "__main__":
    with page.open("Drill"):
        show()
        page.write()
