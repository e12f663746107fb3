"""What the gateway replies, as frozen dataclasses."""
