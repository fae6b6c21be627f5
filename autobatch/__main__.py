"""`python -m autobatch`: the command line."""

from autobatch.cli import main

raise SystemExit(main())
