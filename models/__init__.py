"""Everything that talks to a model: gateway, providers, exact tokens, embedding, embedded."""
