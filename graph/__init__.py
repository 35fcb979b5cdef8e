"""The wiring: graphs, routing, services and the doors (Python, command line, Studio)."""
