"""Where the templates, stylesheets and scripts are that pages are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve()
# In a checkout they are beside the package, in an installed package inside it (setup.py).
_PLACES: Final = (_HERE.parents[2], _HERE.parents[1] / "page_files")
ROOT: Final = next((place for place in _PLACES if (place / "static" / "css").is_dir()), _PLACES[0])
TEMPLATES: Final = ROOT / "templates"
STATIC: Final = ROOT / "static"
