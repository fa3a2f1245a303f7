"""Study: where a participant's link leads; no page of the bar."""

from ui.study.take import show

if __name__ == "__main__":
    show()
