"""The client without asyncio. It is made from `_async` by `tools/make_sync.py`: change it there."""
