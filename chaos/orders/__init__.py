"""Order tracking: many small activities that are updated without pause, while gateways and Redis are harmed."""
