#!/usr/bin/env python3
"""Writes fanfare's manual page to standard output, from what the executable says of itself.

    scripts/manual.py .build/release/fanfare > fanfare.1

Every command and option of `--help` is in it, because it is made of the same description. It is for man(7) macros.
"""

import json
import re
import subprocess
import sys

FILES = [
    ("config/fanfare.yaml", "The configuration without --config, if the file exists."),
    ("/etc/fanfare/fanfare.yaml", "The configuration without --config, if config/fanfare.yaml does not exist."),
    ("data/", "The data of the private redis-server, without redis.url (redis.data_dir)."),
]
ENVIRONMENT = [
    ("FANFARE_...", "A value of the configuration: the path of its key in upper case, with _ for each dot. "
     "FANFARE_HTTP_PORT overrides http.port in the file. An empty variable counts as unset."),
    ("FANFARE_LOADTEST_API_KEY, FANFARE_LOADTEST_SDK_KEY",
     "Keys for load tests, separated by commas. Unlike options they do not appear in the list of processes."),
]
STATUS = [
    ("0", "Success."),
    ("1", "Failure, a wrong count or a failed call. Standard error has the reason."),
    ("64", "The command line is wrong."),
    ("130", "Ctrl-C ended a load test."),
]


def text(words):
    """Escapes running text for roff."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    words = re.sub("[^\x00-\x7f]", lambda match: "\\[u%04X]" % ord(match.group()), words)
    return "\n".join(("\\&" + line if line.startswith((".", "'")) else line) for line in words.split("\n"))


def paragraphs(discussion):
    """A discussion as roff; lines that are indented keep their breaks."""
    lines = []
    for block in re.split(r"\n\s*\n", discussion.strip()):
        rows = block.split("\n")
        if rows[0].strip() == "EXAMPLES:" and len(rows) > 1:
            lines += [".PP", "Examples:", ".PP", ".RS 4", ".nf"]
            lines += [text(row.strip()) for row in rows[1:]]
            lines += [".fi", ".RE"]
        else:
            lines += [".PP", text(" ".join(row.strip() for row in rows))]
    return lines


def names(argument):
    """How an argument is written: --port <port>."""
    if argument["kind"] == "positional":
        return "<%s>" % argument.get("valueName", "value")
    spellings = []
    for name in argument.get("names", []):
        prefix = "--" if name["kind"] == "long" else "-"
        spellings.append(prefix + name["name"])
    value = "" if argument["kind"] == "flag" else " <%s>" % argument.get("valueName", "value")
    return ", ".join(sorted(spellings, key=len)) + value


def visible(items):
    return [item for item in items if item.get("shouldDisplay", True)]


def options(command):
    lines = []
    for argument in visible(command.get("arguments", [])):
        if argument["kind"] == "flag" and names(argument) in ("--version", "-h, --help"):
            continue
        words = argument.get("abstract", "")
        values = argument.get("allValues") or argument.get("allValueStrings") or []
        if values:
            words += " One of: %s." % ", ".join(values)
        if argument.get("defaultValue"):
            words += " Default: %s." % argument["defaultValue"]
        lines += [".TP", ".B %s" % text(names(argument)), text(words.strip())]
    return lines


def synopsis(command, path):
    words = [text(path)]
    for argument in visible(command.get("arguments", [])):
        shown = names(argument)
        if shown in ("--version", "-h, --help"):
            continue
        if argument.get("isRepeating"):
            shown += " ..."
        words.append(text("[%s]" % shown if argument.get("isOptional") else shown))
    return " ".join(words)


def commands(command, path):
    """The command and what lies under it, depth first: path, description."""
    yield path, command
    for inner in visible(command.get("subcommands", [])):
        if inner["commandName"] != "help":
            yield from commands(inner, "%s %s" % (path, inner["commandName"]))


def page(tool, version):
    root = tool["command"]
    name = root["commandName"]
    everything = list(commands(root, name))
    lines = ['.TH %s 1 "" "%s %s" "User Commands"' % (name.upper(), text(name), text(version))]
    lines += [".SH NAME", "%s \\- %s" % (text(name), text(root["abstract"].rstrip(".")))]
    lines += [".SH SYNOPSIS", ".nh", ".ad l"]
    for path, command in everything:
        if not visible(command.get("subcommands", [])) or command.get("defaultSubcommand"):
            lines += [".B " + synopsis(command, path), ".br"]
    lines += [".hy", ".ad b", ".SH DESCRIPTION"]
    lines += paragraphs(root.get("discussion", root["abstract"]))
    lines += [".PP", text("Every command has --help, and %s --version tells the version." % name)]
    lines.append(".SH COMMANDS")
    for path, command in everything[1:]:
        lines += [".SS %s" % text(path), text(command.get("abstract", ""))]
        lines += paragraphs(command.get("discussion", "")) if command.get("discussion") else []
        lines += options(command)
    for title, entries in (("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES), ("EXIT STATUS", STATUS)):
        lines.append(".SH " + title)
        for term, words in entries:
            lines += [".TP", ".B " + text(term), text(words)]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: manual.py EXECUTABLE > fanfare.1")
    run = lambda *arguments: subprocess.run(  # noqa: E731
        [sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout
    sys.stdout.write(page(json.loads(run("--experimental-dump-help")), run("--version").split()[0]))


if __name__ == "__main__":
    main()
