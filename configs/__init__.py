"""Settings, prompts, experts and the shipped sample company: everything an app folder holds."""
