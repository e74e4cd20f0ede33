# SPDX-License-Identifier: Apache-2.0
"""A document of headings, paragraphs, tables and charts, written as Markdown or as a page."""
import html
import math

STYLE = """body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;
text-align:right}td:first-child,th:first-child{text-align:left}svg{max-width:100%}"""
COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#8e5ea2", "#d4a017", "#444444", "#17a2b8")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 120, 20, 50


class Chart:
    """Curves over logarithmic axes; `curves`: {name: [(x, y), …]}, all numbers above 0."""

    def __init__(self, name, title, x, y, curves):
        self.name, self.title, self.x, self.y, self.curves = name, title, x, y, curves

    def svg(self):
        points = [point for curve in self.curves.values() for point in curve]
        spans = [(min(values), max(values)) for values in zip(*points)]

        def place(point):
            share = [math.log(value / low) / (math.log(high / low) or 1)
                     for value, (low, high) in zip(point, spans)]
            return (LEFT + share[0] * (WIDTH - LEFT - RIGHT),
                    HEIGHT - BOTTOM - share[1] * (HEIGHT - TOP - BOTTOM))

        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                 f'role="img" font-family="sans-serif" font-size="12">'
                 f"<title>{html.escape(self.title)}</title>"
                 f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#999"/>')
        for power in range(math.floor(math.log10(spans[1][0])), math.ceil(math.log10(spans[1][1]))):
            y = place((spans[0][0], 10.0 ** power))[1]
            if TOP <= y <= bottom:
                parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">'
                             f"{10.0 ** power:g}</text>"
                             f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#eee"/>')
        for x in sorted({point[0] for point in points}):
            parts.append(f'<text x="{place((x, spans[1][0]))[0]:.0f}" y="{bottom + 16}" '
                         f'text-anchor="middle">{x:g}</text>')
        parts.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
                     f"{html.escape(self.x)}</text>"
                     f'<text transform="translate(14 {(TOP + bottom) / 2}) rotate(-90)" '
                     f'text-anchor="middle">{html.escape(self.y)}</text>')
        for i, (name, curve) in enumerate(self.curves.items()):
            colour = COLOURS[i % len(COLOURS)]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, curve))
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" '
                         f'stroke-width="2"/>'
                         f'<text x="{right + 8}" y="{TOP + 16 * (i + 1)}" fill="{colour}">'
                         f"{html.escape(name)}</text>")
        return "\n".join(parts) + "\n</svg>\n"


class Document:
    def __init__(self):
        self.parts = []

    def heading(self, text, level=2):
        self.parts.append(("heading", level, text))

    def text(self, text):
        self.parts.append(("text", " ".join(text.split())))

    def table(self, head, rows):
        self.parts.append(("table", head, [list(map(str, row)) for row in rows]))

    def chart(self, chart):
        self.parts.append(("chart", chart))

    def charts(self):
        return [part[1] for part in self.parts if part[0] == "chart"]

    def markdown(self):
        blocks = []
        for kind, *what in self.parts:
            if kind == "heading":
                blocks.append("#" * what[0] + " " + what[1])
            elif kind == "text":
                blocks.append(what[0])
            elif kind == "table":
                rows = [what[0], ["---"] * len(what[0]), *what[1]]
                blocks.append("\n".join("| " + " | ".join(row) + " |" for row in rows))
            else:
                blocks.append(f"![{what[0].title}]({what[0].name}.svg)")
        return "\n\n".join(blocks) + "\n"

    def page(self):
        blocks = []
        for kind, *what in self.parts:
            if kind == "heading":
                blocks.append(f"<h{what[0]}>{html.escape(what[1])}</h{what[0]}>")
            elif kind == "text":
                blocks.append(f"<p>{html.escape(what[0])}</p>")
            elif kind == "table":
                blocks.append("<table>" + "".join(
                    "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"
                    for tag, row in [("th", what[0]), *(("td", row) for row in what[1])]) +
                    "</table>")
            else:
                blocks.append(what[0].svg())
        title = next((part[2] for part in self.parts if part[0] == "heading"), "")
        return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}'
                f"</title><style>{STYLE}</style>\n" + "\n".join(blocks) + "\n</html>\n")
