"""Players: what the choices of one player say of that player."""

from importlib import import_module

from spades.core.errors import SpadesError
from ui.players.state import page
from ui.shared.widgets import show_error

if __name__ == "__main__":
    with page.open("Players"):
        view = page.view("View", "view")
        try:
            import_module(f"ui.players.{view}").show()  # a module a view
        except SpadesError as error:
            show_error(error)
        page.write()
