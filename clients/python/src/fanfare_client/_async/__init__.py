"""The asynchronous client. Its twin in `_sync` is made from it by `tools/make_sync.py`."""
