"""Models: the models of human play compared, looked into, trained."""

from importlib import import_module

from ui.models.compare import page

MODULES = {"compare": "compare", "one": "one", "train": "one", "weights": "compare"}

if __name__ == "__main__":
    with page.open("Models"):
        view = page.view("View", "view")
        room = import_module(f"ui.models.{MODULES[view]}")  # the others need much more
        getattr(room, f"show_{view}")()
        page.write()
