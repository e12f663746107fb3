"""A siege: whoever may call a gateway takes more than is theirs, while a neighbour works. See chaos/README.md."""
