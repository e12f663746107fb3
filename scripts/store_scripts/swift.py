"""The Swift functions of scripts."""
import textwrap

from . import replies
from .replies import camel


def feature(scripts):
    """The file of a feature's functions."""
    lines = _HEAD + ["import CStoreScripts", "import RedisClient", "", "extension Scripts {"]
    for script in scripts:
        lines += _function(script) + [""]
    return "\n".join(lines[:-1] + ["}", ""])


def all_of(scripts, calls):
    """The file that lists the scripts, and sample calls of their commands."""
    names = ", ".join(f"{script.swift_name}Script" for script in scripts)
    rows = ["            [" + ", ".join("key" if word == "KEY" else f'"{word}"' for word in call) + "],"
            for call in calls]
    return "\n".join(_HEAD + ["import RedisClient", "", "extension Scripts {",
                              f"    static let all: [RedisScript] = [{names}]", "",
                              "    /// A call of each command that the scripts use.",
                              "    static func sampleCalls(key: String) -> [[String]] {", "        [", *rows,
                              "        ]", "    }", "}", ""])


def constant_values(values, paths):
    """The file with which a test compares the constants."""
    rows = [f'    ("{name}", #"{values[name]}"#, lua(ScriptConstants.{path})),' for name, path in paths.items()]
    return "\n".join(_HEAD + ["@testable import GatewayStore", "",
                              "let scriptConstantValues: [(name: String, inScripts: String, inSwift: String)] = [",
                              *rows, "]", ""])


def with_features(package, names):
    """`Package.swift` with the features that have Lua files."""
    rows = textwrap.fill(", ".join(f'"{name}"' for name in names) + ",", 120, initial_indent="    ",
                         subsequent_indent="    ")
    head, rest = package.split("let storeFeatures = [\n")
    return f"{head}let storeFeatures = [\n{rows}\n]\n" + rest.split("\n]\n", 1)[1]


_HEAD = ["// Written by scripts/store_scripts from the Lua files."]


def _function(script):
    """The lines of a script's Swift function, its text and its reply."""
    name, owner = script.swift_name, script.swift_name[0].upper() + script.swift_name[1:] + "Reply"
    given = []
    for key in script.keys:
        given.append(f"{camel(key.name)}: " + {"": "String", "?": "String? = nil", "...": "[String]"}[key.mark])
    for argument in script.arguments:
        given.append(f"{camel(argument.name)}: " + (
            "[any RedisArgumentConvertible]" if argument.mark == "..." else "some RedisArgumentConvertible"))
    required = ", ".join(camel(key.name) for key in script.keys if key.mark == "")
    keys = [f"[{required}]"] if required else []
    keys += [f"[{camel(key.name)}].compactMap(\\.self)" if key.mark == "?" else camel(key.name)
             for key in script.keys if key.mark]
    values = [camel(argument.name) for argument in script.arguments if argument.mark != "..."]
    tail = next((camel(argument.name) for argument in script.arguments if argument.mark == "..."), None)
    lines = replies.declarations(script.reply, owner)
    arity = f"keys: {_count(script.keys)}, arguments: {_count(script.arguments)}"
    lines += [f"    static let {name}Script = RedisScript(",
              f'        name: "{script.name}", source: String(cString: store_script_{script.c_name}()),',
              f"        arity: RedisScriptArity({arity}))", ""]
    lines += textwrap.wrap(script.purpose, 112, initial_indent="    /// ", subsequent_indent="    /// ")
    lines.append(f"    static func {name}(")
    lines.append("        " + ", ".join(given))
    lines.append(f"    ) -> ScriptCall<{replies.swift_type(script.reply, owner)}> {{")
    list_ = "[" + ", ".join(values) + "]" if values else ""
    arguments = " + ".join(part for part in (list_, tail) if part) or "[]"
    read = replies.reader(script.reply, owner)
    lines.append(f"        ScriptCall({name}Script, {' + '.join(keys) or '[]'}, {arguments}, read: {read})")
    lines.append("    }")
    return lines


def _count(parameters):
    """The number of values that a script takes for these parameters, as Swift describes it."""
    given = [f"required: {sum(parameter.mark == '' for parameter in parameters)}"]
    if optional := sum(parameter.mark == "?" for parameter in parameters):
        given.append(f"optional: {optional}")
    if parameters and parameters[-1].group:
        given.append(f"group: {parameters[-1].group}")
    return f".init({', '.join(given)})"
