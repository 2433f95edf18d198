"""Published reports of surveys, and what their randomizers promise."""
