"""Papers: every published table and figure beside ours, with a verdict by one rule."""

from ui.papers.view import page, show

if __name__ == "__main__":
    with page.open("Papers"):
        show()
        page.write()
