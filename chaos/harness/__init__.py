"""Kills gateways and Redis servers under load, and checks the invariants afterwards. See chaos/README.md."""
