-- The scripts of the store. What a script's head declares, and the functions of what it includes, are known to its code
-- as `ScriptLibrary` puts them in front of it.
std = "lua51"
max_line_length = 120
codes = true
read_globals = {
    "redis", "struct", "cmsgpack", "KEYS", "ARGV",
    "ACTIVITY", "BROADCAST", "COUNT_KEY", "DOUBT", "JOB", "KINDS", "LIMIT", "MARK", "MARK_BYTE", "PAGE", "QUOTA", "RUN",
    "SCHEDULE", "SIZE", "SKIP_BYTE", "STATUS", "STATUSES", "STATUS_BYTE", "TURN",
}

local folder = "Sources/Store/GatewayStore"

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
