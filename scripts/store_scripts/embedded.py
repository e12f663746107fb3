"""The C files that hold the texts of scripts. The preprocessor puts parts in front of the scripts that include them."""
from . import texts

_HEAD = "// Written by scripts/store_scripts from the Lua files of GatewayStore.\n"


def source(scripts, files, constants):
    parts, functions = {}, []
    for script in scripts:
        *included, own = texts.order(script, files)
        for part in included:
            parts.setdefault(part.name, f"#define PART_{part.c_name}" + _literals(part, constants, " \\\n"))
        lines = [f"const char *store_script_{own.c_name}(void) {{", "    return"]
        lines += [f"        PART_{part.c_name}" for part in included]
        functions.append("\n".join(lines) + _literals(own, constants, "\n", "    ") + ";\n}\n")
    return "\n".join([_HEAD + '#include "CStoreScripts.h"\n'] +
                     [parts[name] + "\n" for name in sorted(parts)] + functions)


def header(scripts):
    return f"""{_HEAD}#ifndef CSTORESCRIPTS_H
#define CSTORESCRIPTS_H

#pragma clang assume_nonnull begin

""" + "".join(f"const char *store_script_{script.c_name}(void);\n" for script in scripts) + """
#pragma clang assume_nonnull end

#endif
"""


def _literals(file, constants, separator, indentation=""):
    """The lines of a file's piece as C strings, each behind the separator."""
    return "".join(f'{separator}{indentation}    "{_escaped(line)}\\n"'
                   for line in texts.piece(file, constants).splitlines())


def _escaped(line):
    return line.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?')
