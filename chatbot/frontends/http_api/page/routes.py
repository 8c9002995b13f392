"""The page at `/` and its files: read once, sent with headers that let nothing else run or be loaded."""

from pathlib import Path

from fastapi import APIRouter, Response

from chatbot.frontends.http_api.errors import ApiRefusal

STATIC_FOLDER = Path(__file__).with_name("static")
PAGE_FILE = "index.html"
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # The browser itself refuses to read any text as HTML.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
PAGE_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_FILES = {
    path.name: STATIC_FOLDER.joinpath(path.name).read_bytes()
    for path in STATIC_FOLDER.iterdir()
    if path.suffix in MEDIA_TYPES
}
PAGE_PATHS = frozenset({"/", *(f"/page/{name}" for name in _FILES)})
"""What is sent to everybody: nothing of anybody stands in it."""
page_router = APIRouter(include_in_schema=False)


@page_router.get("/")
async def send_page() -> Response:
    """The page."""
    return _file_response(PAGE_FILE)


@page_router.get("/page/{name}")
async def send_page_file(name: str) -> Response:
    """A file of it; raises `ApiRefusal` for any other."""
    if name not in _FILES:
        raise ApiRefusal(404, "The page has no such file.")
    return _file_response(name)


def _file_response(name: str) -> Response:
    return Response(_FILES[name], media_type=MEDIA_TYPES[Path(name).suffix], headers=PAGE_HEADERS)
