"""The life of one activity for a mixed segment, with gateways that are killed in it."""
