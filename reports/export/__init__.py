"""The same report for other tools: Markdown, JSON, CSV, SVG, a workbook."""
