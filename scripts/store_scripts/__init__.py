"""Writes what the store's Swift code needs of its Lua files, or checks that it is there.

    python3 -m store_scripts [--check]

It writes, from the heads and the code of the Lua files:

- `Scripts+Feature.swift`, with a function for each script of a feature
- `ScriptList.swift`, with a list of scripts, and a sample call of each command that they use
- `storeFeatures` in `Package.swift`
- `scripts.c` and `CStoreScripts.h`, with the text of each script
- `ScriptConstantValues.swift`, with which a test compares the values below

A Lua file is a head of comment lines, and the code:

    -- put-start-cell (writes)
    --
    -- What it is for.
    --
    -- KEYS
    --   start_page
    --   note?: may be left out
    -- ARGV
    --   index
    --   expires_at: epoch ms
    --   fields...(2): any number of pairs
    -- Reply: flag
    -- Includes: cells

A script reads or writes; a part has functions that others include. A head may have several `Includes` lines.

The code uses keys and arguments by these names, and a tail (`fields...`, in groups of a fixed size) by the index of its
first value: `ARGV[fields_at]`. It uses the constants of `ScriptConstants.swift`: `STATUS.start_failed` is
`STATUS.startFailed` there, and `STATUS_BYTE.start_failed` is a string of this byte. A script's text is the parts that
it includes, locals for its keys and arguments, and its code with the values of constants and without comments.

A line changes how Swift calls a script that is called so often that arrays would cost too much:

| line | Swift |
|---|---|
| `Call: appended` | each key and argument is written into the command |
| `Call: encoded` | likewise, and tails are `RedisArguments.Part`s |
| `Call: keys once` | the keys are written once for many calls, and the reply is read where it lies |

Of a reply the head gives a type:

    -- Reply: int
    -- Reply: {state: text, changed: flag}?
    -- Reply: one of
    --   accepted = 1 {version: int}
    --   refused = 0

| type | Swift | Redis |
|---|---|---|
| flag | Bool | 1 or 0 |
| int, bytes, text | Int, [UInt8], String | an integer, a string |
| fields | [RedisField] | a flat array of names and values |
| [type] | an array | an array |
| {name: type, ...} | a struct | an array; a type with `...` takes the rest, and optional members at its end may lack |
| type? | nil | nil |
| one of | an enum | an integer, or an array that begins with it |

Other words may stand behind the type, in parentheses or further lines. Braces may go over several lines.
"""
