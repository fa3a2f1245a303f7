"""A server for the participants of studies and nobody else: ``streamlit run ui/study/alone.py``.

It serves the study of a participant's link and the routes that its tables need, and no other page
of the dashboard. Studies are created, and their data exported, by their owner's dashboard on the
same folder, or by ``spades study``.
"""

import streamlit as st
from starlette.middleware import Middleware

from ui.play.routes import PATH, ROUTES
from ui.shared.document import OwnStyle
from ui.shared.gate import Gate
from ui.shared.page import APP_NAME, report_fault
from ui.shared.states import show_empty
from ui.study.take import show

NEEDED = (f"{PATH}/view", f"{PATH}/move", f"{PATH}/help")
STUDY_ROUTES = [route for route in ROUTES if route.path in NEEDED]
MIDDLEWARE = [Middleware(Gate, routes=STUDY_ROUTES), Middleware(OwnStyle, has_charts=False)]


def main() -> None:
    landing = st.Page(show_landing, title=APP_NAME, default=True)
    study = st.Page(show, title="Study", url_path="Study")
    st.navigation([landing, study], position="hidden").run()


def show_landing() -> None:
    st.set_page_config(APP_NAME, page_icon="♠️")
    show_empty("This server has studies. Open the link that you were given.", icon="link")


if __name__ == "__main__":
    main()
elif __name__ == "alone":  # as `streamlit run` imports it
    app = st.App(__file__, routes=STUDY_ROUTES, middleware=MIDDLEWARE, on_script_error=report_fault)
