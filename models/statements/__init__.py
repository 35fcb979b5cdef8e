"""What users state of themselves, read and compared without a chat model; memory uses both."""
