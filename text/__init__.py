"""What words are: normalising, stems, spelling, speech acts; imports nothing of the project."""
