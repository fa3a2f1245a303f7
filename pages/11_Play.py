"""Play: a seat at a table against agents, and a drill of decisions judged beforehand."""

from importlib import import_module

from ui.play.state import page

if __name__ == "__main__":
    with page.open("Play"):
        view = page.view("View", "view")
        import_module(f"ui.play.{view}").show()  # a module a view
        page.write()
