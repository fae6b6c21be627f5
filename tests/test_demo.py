"""The demonstration runs, and the programs it writes run without this distribution and give the same numbers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import models

ROOT = Path(__file__).parents[1]
ALONE = """
import json, runpy, sys
import numpy as np
for name in ("codegen", "autodiff", "autobatch"):
    sys.modules[name] = None
folder, arguments = sys.argv[1], [np.asarray(a, float)[()] for a in json.loads(sys.argv[2])]
for name in ("step", "batched"):
    runpy.run_path(f"{folder}/{name}.py")
value = runpy.run_path(f"{folder}/logp.py")["eight_schools"](*arguments)
both = runpy.run_path(f"{folder}/gradient.py")["eight_schools_value_and_grad"](*arguments)
print(json.dumps([value, both[0], *(np.asarray(g).tolist() for g in both[1:])]))
"""


def test_demonstration(tmp_path):
    options = [
        "--models",
        "eight_schools",
        "--chains",
        "8",
        "--draws",
        "50",
        "--warmup",
        "50",
        "--out",
        str(tmp_path),
    ]
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": f"{ROOT}:{ROOT / 'examples'}"}
    demo = [sys.executable, str(ROOT / "examples" / "demo.py"), *options]
    shown = subprocess.run(demo, env=environment, capture_output=True, text=True, check=True).stdout
    assert "leapfrogs per second" in shown and "lane utilisation" in shown
    (folder,) = [f for f in tmp_path.iterdir() if f.is_dir()]
    assert (folder / "trace.nc").stat().st_size > 0 and (folder / "trace.png").stat().st_size > 0

    y, sigma = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    arguments = [1.5, 2.0, np.linspace(-1, 1, 8), y, sigma]
    given = json.dumps([np.asarray(a).tolist() for a in arguments])
    alone = [sys.executable, "-I", "-c", ALONE, str(folder), given]
    value, again, *gradient = json.loads(subprocess.run(alone, capture_output=True, check=True).stdout)
    assert np.isclose(value, models.eight_schools(*arguments), rtol=1e-14) and np.isclose(
        value, again, rtol=1e-14
    )
    for k, part in enumerate(gradient[:2]):
        ahead, back = ([a + h * (j == k) for j, a in enumerate(arguments[:2])] for h in (1e-6, -1e-6))
        rise = models.eight_schools(*ahead, *arguments[2:]) - models.eight_schools(*back, *arguments[2:])
        assert np.isclose(part, rise / 2e-6, rtol=1e-6)
