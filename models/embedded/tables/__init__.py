"""From a question to one SELECT over the tables that an expert's brief describes."""
