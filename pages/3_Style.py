"""Style: what groups of players do, and what single players' choices say of them."""

from importlib import import_module

from ui.shared.widgets import errors_shown
from ui.style import state

if __name__ == "__main__":
    with state.page.open("Style"):
        view = state.page.view("View", "view")
        with errors_shown():
            import_module(f"ui.style.{view}").show()  # a module a view
        state.write_state()
