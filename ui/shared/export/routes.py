"""What a browser fetches once somebody exports a figure: scripts, style, Plotly and the typeface.

A figure is drawn and written in the browser that shows it; the server takes nothing in. The answers
to ``GET /export/...`` hold nothing of any reader.
"""

from functools import partial
from importlib.util import find_spec
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from ui.shared.export.fonts import make_fonts

PATH = "/export"
_HERE = Path(__file__).parent
_PLOTLY = Path(find_spec("plotly").origin).parent / "package_data/plotly.min.js"
_FILES = {path.name: path for kind in ("js", "css") for path in sorted(_HERE.glob(f"*/*.{kind}"))}


async def _send_file(request: Request, *, path: Path) -> Response:
    return FileResponse(path, headers={"cache-control": "no-cache"})


async def _send_fonts(request: Request) -> Response:
    fonts = await to_thread.run_sync(make_fonts)
    return JSONResponse(fonts, headers={"cache-control": "max-age=86400"})


ROUTES = [
    Route(f"{PATH}/{name}", partial(_send_file, path=path), methods=["GET"])
    for name, path in (_FILES | {"plotly.js": _PLOTLY}).items()
]
ROUTES.append(Route(f"{PATH}/fonts.json", _send_fonts, methods=["GET"]))
