# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
#
# How scripts/docs makes one site of the pages, by Sphinx. Links are those of the sources. One that leads nowhere is a
# warning, and scripts/docs takes warnings for errors.

import html
import re
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from docutils.utils import new_document
from sphinx.parsers import Parser
from sphinx.util import logging

root = Path(__file__).resolve().parents[2]
project = "Hocket"
version = release = re.search(r"^## ([0-9.]+)$", (root / "CHANGELOG.md").read_text(), re.M)[1]

extensions = ["myst_parser"]
myst_heading_anchors = 6
myst_url_schemes = ["https", "http", "mailto"]
root_doc = "README"
# The page of examples/01_hello/main.cpp is examples/01_hello, as links to the folder expect.
source_suffix = {".md": "markdown", "/main.cpp": "program"}
include_patterns = ["*.md", "**/*.md", "examples/*/main.cpp"]
exclude_patterns = ["build*", "cmake-build*", ".*", "**/.*"]

templates_path = ["templates"]
highlight_language = "none"  # of blocks that name none
smartquotes = False
html_theme = "furo"
html_title = f"Hocket {version}"
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_search_summary = False  # a browser reads other pages from a server alone
html_sidebars = {"**": [f"sidebar/{part}.html" for part in
                        ("brand", "search", "scroll-start", "navigation", "reference", "scroll-end")]}

# What stands below a page in the navigation, by captions. Below the guide: what it links to, in that order. A page that
# stands nowhere is a warning.
navigation = {
    "README": {
        "Use": "docs/guide docs/cookbook docs/coming-from examples/README tools/README python/README "
               "docs/troubleshooting docs/packages CHANGELOG",
        "Know": "docs/principles docs/features docs/reliability docs/costs docs/scaling bench/README docs/gpus "
                "docs/machines docs/kernel-text docs/glossary",
        "Change": "CONTRIBUTING docs/layers docs/adding-a-backend docs/decisions/README docs/mutations tests/README "
                  "*/README devices/*/README",
    },
    "docs/guide": {"Chapters": ""},
    "docs/decisions/README": {"Decisions": "docs/decisions/*"},
    "examples/README": {"Programs": "examples/* examples/*/README"},
    "tests/README": {"Folders": "tests/**"},
}


def add_navigation(app, page, source):
    for caption, pages in navigation.get(page, {}).items():
        links = re.findall(r"\]\((guide/[\w-]+)\.md\)", source[0])
        entries = "\n".join([f"/{name}" for name in pages.split()] or links)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{entries}\n```\n"


class ProgramParser(Parser):
    """Makes the page of a program: its text."""

    supported = ("program",)

    def parse(self, text, document):
        name = Path(document.settings.env.docname).name
        code = nodes.literal_block(text, text, language="cpp")
        document += nodes.section("", nodes.title("", name), code, ids=["text"])


def let_folders_be(app, env, link, text):
    """Folders of the sources are no part of the site: links to them become plain text."""
    folder = Path(env.doc2path(link["refdoc"])).parent / link["reftarget"]
    return text if folder.is_dir() else None


def check_addresses(app, document):
    for link in document.findall(nodes.reference):
        address = urlsplit(link.get("refuri", ""))
        if address.scheme.startswith("http") and not re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", address.netloc):
            logging.getLogger(__name__).warning("this is no address: %s", link["refuri"], location=link)


def index_reference(app):
    """The search finds the pages that Doxygen has made, too: those of classes, namespaces and files."""
    indexer = app.builder.indexer
    names = set(app.env.all_docs)
    kinds = "Class|Struct|Union|Concept|Namespace|File"
    for page in sorted(Path(app.outdir, "reference").glob("*.html")):
        text = page.read_text()
        title = re.search(rf"<title>Hocket: (.*) ({kinds})( Template)? Reference</title>", text)
        if title:
            words = re.sub(r"<[^>]*>", " ", text.split('<div class="contents">')[1])
            document = new_document(page.name)
            document += nodes.paragraph("", html.unescape(words))
            name = f"reference/{page.stem}"
            names.add(name)
            indexer.feed(name, f"{name}.html", title[1], document)
    forget_all_but = indexer.prune
    indexer.prune = lambda _: forget_all_but(names)
    return []


def setup(app):
    app.add_source_parser(ProgramParser)
    app.connect("source-read", add_navigation)
    app.connect("missing-reference", let_folders_be)
    app.connect("doctree-read", check_addresses)
    app.connect("html-collect-pages", index_reference)
