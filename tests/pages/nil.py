"""The Nil page, shown with a query."""

from tests.pages.apps import open_page


def show(**query):
    return open_page("5_Nil", query)
