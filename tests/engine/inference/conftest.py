"""Makes this folder's own helper importable: pytest imports tests by path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
