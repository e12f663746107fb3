"""Kills gateways and Redis servers under load, and checks the books afterwards. See chaos/README.md."""
