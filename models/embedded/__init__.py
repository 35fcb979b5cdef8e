"""The embedded profile: chat models that need no key and no network."""
