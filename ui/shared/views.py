"""Pages of several views: one control chooses between them, and the address names the choice."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import NamedTuple

from ui.shared.address import Field, PageState
from ui.shared.codecs import Choice
from ui.shared.widgets import errors_shown


class View(NamedTuple):
    """A view of a page.

    ``show``: what draws it, as "module:function"; loaded when it is first shown. ``fields``: those
    of the page that the address says while it is shown, or a function that names them."""

    label: str
    show: str
    fields: Iterable[str] | Callable[[], Iterable[str]]

    def draw(self) -> None:
        module, _, function = self.show.partition(":")
        getattr(import_module(module), function)()

    def names(self) -> list[str]:
        return list(self.fields() if callable(self.fields) else self.fields)


def view_field(views: Mapping[str, View]) -> Field:
    """The field ``view`` of a page's state; the first view is the usual one."""
    return Field(Choice({name: view.label for name, view in views.items()}), next(iter(views)))


def show_page(title: str, page: PageState, views: Mapping[str, View]) -> None:
    """Draw a page: its title, the choice of a view, the view. What a view refuses is said, and the
    address stays as it was."""

    def names() -> list[str]:
        return ["view", *views[page.get("view")].names()]

    with page.open(title, names):
        view = views[page.view("View", "view")]
        with errors_shown():
            view.draw()
            page.write(names())
