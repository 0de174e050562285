# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and labels that a format may take for its own syntax."""

from hypothesis import strategies as st

PARTS = [
    '"',
    "'",
    "\\",
    "\n",
    "\r",
    "\t",
    "::",
    ":",
    ",",
    "]]>",
    "<!--",
    "&",
    "|",
    "`",
    "%0A",
    "##[error]",
    "{",
    "}",
    "=",
]
PARTS += [
    "\0",
    "\x1b[31m",
    "\x85",
    "\u2028",
    "\ufffe",
    "\ud800",
    "é",
    "日本",
    "🐢",
    "a",
    " ",
    "#",
    "# EOF",
    "/",
    "-",
    ".",
]
TEXTS = (
    st.lists(st.sampled_from(PARTS) | st.text(max_size=3), min_size=1, max_size=6).map("".join).filter(bool)
)
