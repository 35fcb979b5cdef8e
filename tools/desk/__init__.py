"""The tools of the shipped sample company: billing, orders, analytics and policies."""
