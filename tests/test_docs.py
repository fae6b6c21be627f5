"""What the README shows runs, and is true."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_readme(tmp_path, monkeypatch):
    """Its Python blocks, one after the other, as one module (functions must have a file to be read from)."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    assert len(blocks) == 4
    module = tmp_path / "readme.py"
    module.write_text("\n".join(blocks))
    namespace = {"__name__": "readme", "__file__": str(module)}
    exec(compile(module.read_text(), str(module), "exec"), namespace)
    assert "a_bar" in namespace["gradient"].source()
