# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The Python of the documents runs: the blocks of a page are one program."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Documents(unittest.TestCase):
    def run_page(self, *path):
        with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
            text = file.read()
        blocks = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        program = ""
        for block in blocks:
            # Lines of messages are those of the page.
            line = text.count("\n", 0, block.start(1))
            program += "\n" * (line - program.count("\n")) + block.group(1)
        self.assertTrue(program)
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, path[-1] + ".py")
            with open(page, "w", encoding="utf-8") as file:
                file.write(program)
            ended = subprocess.run(
                [sys.executable, page], capture_output=True, text=True, timeout=120, cwd=folder
            )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_guide(self):
        self.assertIn("division by zero", self.run_page("docs", "guide", "python.md"))

    def test_graphs(self):
        self.assertIn("2 tasks", self.run_page("docs", "guide", "python-graphs.md"))

    def test_readme(self):
        self.run_page("python", "README.md")


if __name__ == "__main__":
    unittest.main()
