"""The clients. The synchronous ones are made from these at build time; see `hatch_build.py`."""
