"""What outlives a turn: database, artifacts, episodes, facts, history and recall."""
