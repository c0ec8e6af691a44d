"""The table, by area. Each file has one list, `ROWS`."""
