-- The scripts of the store. A script's code knows the names in its head, the constants, and the functions of the parts
-- that it includes, as `scripts/store_scripts` puts them in front of it.
std = "lua51"
max_line_length = 120
codes = true
read_globals = { "redis", "struct", "cmsgpack", "KEYS", "ARGV" }

local folder = "Sources/Store/GatewayStore"

for line in io.lines(folder .. "/Scripts/ScriptConstants.swift") do
    local group = line:match("^    enum ([%u_]+) {") or line:match("^    typealias ([%u_]+) =")
    if group then
        table.insert(read_globals, group)
        table.insert(read_globals, group .. "_BYTE")
    end
end

local function files_of(pattern)
    local list = {}
    local found = io.popen("ls " .. folder .. "/*/Lua/" .. pattern)
    for path in found:lines() do list[#list + 1] = path end
    found:close()
    return list
end

local function head_of(path)
    local lines, code = {}, {}
    for line in io.lines(path) do
        local is_head = #code == 0 and line:sub(1, 2) == "--"
        table.insert(is_head and lines or code, line)
    end
    return lines, code
end

-- What each file declares, by its name.
local known = {}
for _, path in ipairs(files_of("*.lua")) do
    local head, code = head_of(path)
    local name, kind = head[1]:match("^%-%- ([%w-]+) %((%a+)%)$")
    local file = { path = path, kind = kind, includes = {}, names = {}, functions = {} }
    for _, line in ipairs(head) do
        local parameter, mark = line:match("^%-%-   ([%w_]+)([.?]*)")
        if parameter then table.insert(file.names, mark == "..." and parameter .. "_at" or parameter) end
        local includes = line:match("^%-%- Includes: (.*)$") or ""
        for part in includes:gmatch("[%w-]+") do table.insert(file.includes, part) end
    end
    if kind == "part" then
        for _, line in ipairs(code) do
            local defined = line:match("^local function ([%w_]+)")
            if defined then table.insert(file.functions, defined) end
        end
    end
    known[name] = file
end

local function add_functions(list, name)
    for _, defined in ipairs(known[name].functions) do table.insert(list, defined) end
    for _, part in ipairs(known[name].includes) do add_functions(list, part) end
end

for _, file in pairs(known) do
    local names = { unpack(file.names) }
    for _, part in ipairs(file.includes) do add_functions(names, part) end
    local unused = {}
    -- A part is used by others.
    for _, defined in ipairs(file.functions) do table.insert(unused, "211/" .. defined) end
    files[file.path] = { read_globals = names, ignore = unused }
end
