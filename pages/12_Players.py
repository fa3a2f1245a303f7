"""Players: what the choices of one player say of that player."""

from importlib import import_module

from ui.players.state import page
from ui.shared.widgets import errors_shown

if __name__ == "__main__":
    with page.open("Players"):
        view = page.view("View", "view")
        with errors_shown():
            import_module(f"ui.players.{view}").show()  # a module a view
        page.write()
