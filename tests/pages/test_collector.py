"""Libraries' objects are left out of the collection that Streamlit makes after every run."""

import gc
import sys
from types import ModuleType

from ui.shared import page


def test_a_page_leaves_what_is_imported_out_of_collections(monkeypatch):
    monkeypatch.setattr(page, "_n_frozen", 0)
    held = [[] for _ in range(1000)]
    before = gc.get_freeze_count()
    page.spare_the_collector()
    assert gc.get_freeze_count() >= before + len(held)


def test_again_only_once_there_is_more(monkeypatch):
    frozen = []
    monkeypatch.setattr(page, "_n_frozen", 0)
    monkeypatch.setattr(page.gc, "freeze", lambda: frozen.append(len(sys.modules)))
    page.spare_the_collector()
    page.spare_the_collector()
    assert len(frozen) == 1
    monkeypatch.setitem(sys.modules, "one_more", ModuleType("one_more"))
    page.spare_the_collector()
    assert len(frozen) == 2
