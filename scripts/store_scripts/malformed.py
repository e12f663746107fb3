class Malformed(Exception):
    """A mistake in a Lua file or in the constants, which names the file."""
