"""The documentation site: ``make docs`` builds it into ``build/site``.

Pages are the Markdown files beside this one, which are read on GitHub too. What is made of code and
data is made when the site is built: a page an experiment, and the API of docstrings.
"""

import sys
from pathlib import Path
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import spades
from experiments import document_papers
from spades.look.tokens import DARK, LIGHT

project = "Spades decision lab"
release = spades.__version__
html_title = f"{project} {release}"
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["bots"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
highlight_language = "none"
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}

# Extras that an installation may lack.
autodoc_mock_imports = ["gymnasium", "pettingzoo", "pyspiel"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_math_renderer = "mathml"


def colors(values: dict[str, str]) -> dict[str, str]:
    """The theme's colours: the dashboard's own."""
    return {
        "color-brand-primary": values["accent"],
        "color-brand-content": values["accent"],
        "color-brand-visited": values["accent"],
        "color-background-primary": values["paper"],
        "color-background-secondary": values["wash"],
        "color-foreground-primary": values["ink"],
        "color-foreground-muted": values["quiet"],
    }


html_theme_options = {
    "light_css_variables": colors(LIGHT),
    "dark_css_variables": colors(DARK),
    "navigation_with_keys": True,
}


def write_formula(translator: Any, node: Any) -> None:
    """A formula as MathML, which browsers draw themselves: no script and no font is loaded."""
    is_block = node.tagname == "math_block"
    formula = tex2mathml(node.astext(), as_block=is_block)
    translator.body.append(f'<div class="formula">{formula}</div>' if is_block else formula)
    raise SkipNode


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))
    document_papers.write_pages(HERE / "experiments")
