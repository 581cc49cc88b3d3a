"""Pages that are read from top to bottom: their examples run in that order, in one folder."""

import re
import shlex

from helpers.outputs import printed, without_version
from helpers.textfiles import call

# a file under its name, Python with what it prints, commands with what they print
BLOCK = re.compile(
    r"^`(?P<file>[\w./-]+)`\n\n```\w+\n(?P<content>.*?)```"
    r"|^```python\n(?P<python>.*?)```(?:\n\n```text\n(?P<prints>.*?)```)?"
    r"|^```console\n(?P<console>.*?)```",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^\$ spacy-chance-eval (.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)


def shown_in(shown, output):
    """Whether an output has the lines shown; a line of three dots stands for any lines."""
    parts = re.split(r"^\.\.\.$", without_version(shown), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part.lstrip("\n")) for part in parts)
    return re.fullmatch(pattern + r"\n*", without_version(output) + "\n") is not None


def run_command(words, shown):
    """What is wrong with the output of a command line, or None."""
    done = call(*shlex.split(words))
    if done.exit_code:
        return f"{words}\n--- fails with\n{done.stderr}"
    if shown.strip() and not shown_in(shown, done.stdout):
        return f"{words}\n--- prints\n{done.stdout}"
    return None


def wrong_examples(text, folder):
    """Examples of a page that do not print what it shows; the folder is the working directory."""
    namespace, wrong = {"__name__": "example"}, []
    for block in BLOCK.finditer(text):
        if block["file"]:
            (folder / block["file"]).write_text(block["content"], encoding="utf8")
        elif block["python"]:
            output = printed(block["python"], namespace)
            if not shown_in(block["prints"] or "", output):
                wrong.append(f"{block['python']}\n--- prints\n{output}")
        else:
            found = COMMAND.findall(block["console"])
            assert len(found) == len(re.findall(r"^\$ ", block["console"], re.MULTILINE))
            wrong += [said for command in found if (said := run_command(*command))]
    return wrong
