"""Studies: people play the deals that a researcher chooses, and what they do is exported."""

from ui.studies.own import page, show

if __name__ == "__main__":
    with page.open("Studies"):
        show()
        page.write()
