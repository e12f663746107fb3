"""The Swift functions of scripts."""
import textwrap

from . import replies
from .malformed import Malformed
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
    name, owner = script.swift_name, script.swift_name[0].upper() + script.swift_name[1:]
    source = "RedisReplyView" if script.call == "keys once" else "RedisValue"
    lines = replies.declarations(script.reply, owner + "Reply", source)
    arity = f"keys: {_count(script.keys)}, arguments: {_count(script.arguments)}"
    lines += [f"    static let {name}Script = RedisScript(",
              f'        name: "{script.name}", source: String(cString: store_script_{script.c_name}()),',
              f"        arity: RedisScriptArity({arity}))", ""]
    lines += textwrap.wrap(script.purpose, 112, initial_indent="    /// ", subsequent_indent="    /// ")
    if script.call == "keys once":
        return lines + _keys_once(script, name, owner)
    type_, read = (make(script.reply, owner + "Reply") for make in (replies.swift_type, replies.reader))
    lines += [f"    static func {name}(", "        " + ", ".join(_keys(script) + _arguments(script)),
              f"    ) -> ScriptCall<{type_}> {{"]
    if not script.call:
        return lines + [f"        ScriptCall({name}Script, {_arrays(script)}, read: {read})", "    }"]
    return lines + [
        *_hint(script.keys + script.arguments, script.call == "encoded"),
        f"        var call = RedisScriptCall({name}Script, keyCount: {_key_count(script.keys)}, byteCountHint: hint)",
        *_appends(script.keys + script.arguments, script.call == "encoded"),
        f"        return ScriptCall({name}Script, (consume call).finish(), read: {read})", "    }"]


def _keys_once(script, name, owner):
    """The lines of the type for calls whose keys are written once."""
    if any(parameter.mark == "..." for parameter in script.keys + script.arguments):
        raise Malformed(f"{script.name} has keys once, and a tail")
    return [
        f"    struct {owner} {{", "        private let head: RedisScriptCall", "",
        f"        init({', '.join(_keys(script))}) {{", *_hint(script.keys),
        f"            let count = {_key_count(script.keys)}",
        f"            var call = RedisScriptCall({name}Script, keyCount: count, byteCountHint: hint)",
        *_appends(script.keys), "            head = call", "        }", "",
        f"        func command({', '.join(_arguments(script))}) -> RedisCommand {{", *_hint(script.arguments),
        "            var call = RedisScriptCall(copying: head, byteCountHint: hint)",
        *_appends(script.arguments), "            return (consume call).finish()", "        }", "    }"]


def _keys(script):
    """The declarations of keys."""
    types = {"": "String", "?": "String? = nil",
             "...": "[RedisArguments.Part]" if script.call == "encoded" else "[String]"}
    return [f"{camel(key.name)}: {types[key.mark]}" for key in script.keys]


def _arguments(script):
    """The declarations of arguments."""
    types = {"": "some RedisArgumentConvertible", "?": "String? = nil",
             "...": "[RedisArguments.Part]" if script.call == "encoded" else "[any RedisArgumentConvertible]"}
    return [f"{camel(argument.name)}: {types[argument.mark]}" for argument in script.arguments]


def _arrays(script):
    """The arrays of keys and of arguments."""
    given = []
    for parameters in (script.keys, script.arguments):
        required = ", ".join(camel(parameter.name) for parameter in parameters if not parameter.mark)
        parts = [f"[{required}]"] if required else []
        parts += [f"[{camel(parameter.name)}].compactMap(\\.self)" if parameter.mark == "?" else camel(parameter.name)
                  for parameter in parameters if parameter.mark]
        given.append(" + ".join(parts) or "[]")
    return ", ".join(given)


def _key_count(keys):
    terms = [str(sum(not key.mark for key in keys))]
    terms += [f"({camel(key.name)} == nil ? 0 : 1)" if key.mark == "?" else f"{camel(key.name)}.argumentCount"
              for key in keys if key.mark]
    return " + ".join(terms)


def _hint(parameters, is_encoded=False):
    """The lines that compute the approximate size of the parameters."""
    lines = [f"        var hint = {8 * len(parameters)}"]
    for parameter in parameters:
        name = camel(parameter.name)
        size = {"": f"{name}.redisByteCountHint", "?": f"{name}?.redisByteCountHint ?? 0", "...":
                f"{name}.redisByteCountHint" if is_encoded else
                f"{name}.reduce(0) {{ $0 + $1.redisByteCountHint + 8 }}"}[parameter.mark]
        lines.append(f"        hint += {size}")
    return lines


def _appends(parameters, is_encoded=False):
    """The lines that append the parameters."""
    lines = []
    for parameter in parameters:
        name = camel(parameter.name)
        if parameter.mark == "?":
            lines.append(f"        if let {name} {{ call.append({name}) }}")
        elif parameter.mark == "..." and not is_encoded:
            lines.append(f"        for value in {name} {{ call.append(value) }}")
        else:
            lines.append(f"        call.append({name})")
    return lines


def _count(parameters):
    """The number of values that a script takes for these parameters, as Swift describes it."""
    given = [f"required: {sum(parameter.mark == '' for parameter in parameters)}"]
    if optional := sum(parameter.mark == "?" for parameter in parameters):
        given.append(f"optional: {optional}")
    if parameters and parameters[-1].group:
        given.append(f"group: {parameters[-1].group}")
    return f".init({', '.join(given)})"
