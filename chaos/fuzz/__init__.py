"""Fuzzes a gateway: requests after its own description, made and then spoilt, and bytes as no client sends them."""
