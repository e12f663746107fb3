"""Draws the pictures of the documents, and checks what the documents say: links, commands, names."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
