"""What is watched: whether the page of metrics, its documents, the alerts and the dashboard agree."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
