"""Tests of what can be tested without a server: numbers, tables, reading what tools print."""
