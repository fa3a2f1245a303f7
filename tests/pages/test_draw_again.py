"""A page that draws itself anew gives way to what the reader has asked for meanwhile."""

from streamlit.testing.v1 import AppTest


def script():
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from ui.shared.page import draw_again

    runs = st.session_state.setdefault("runs", [])
    runs.append(st.query_params.to_dict())
    if len(runs) == 1:
        ctx = get_script_run_ctx()
        asked = RerunData(query_string="asked=1", page_script_hash=ctx.page_script_hash)
        ctx.script_requests.request_rerun(asked)  # as a click on a link does
        draw_again()
    elif len(runs) == 2:
        draw_again()


def test_what_was_asked_meanwhile_goes_first():
    app = AppTest.from_function(script).run()
    assert not app.exception
    assert app.session_state["runs"] == [{}, {"asked": "1"}, {"asked": "1"}]
