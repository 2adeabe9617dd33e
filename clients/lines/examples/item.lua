#!/usr/bin/env lua5.4
-- The screen `item` over lines, with dkjson. The item 13 goes back, and a negative one fails.
local json = require "dkjson"

-- Lua starts a program with one pipe; a named one is the way back.
local pipe = os.tmpname()
assert(os.remove(pipe) and os.execute("mkfifo " .. pipe))
local to = io.popen((os.getenv("FLOWBUS_CONNECT") or "flowbusctl connect") .. " >" .. pipe, "w")
local from = assert(io.open(pipe))
os.remove(pipe)
to:setvbuf("line")

local function say(line)
  to:write(json.encode(line), "\n")
end

say { serve = "com.example.Item" }
for text in from:lines() do
  local line = assert(json.decode(text))
  local screen = line.instance
  if line.present then
    local item, seen = line.arguments.item, ((line.details.state or {}).seen or 0) + 1
    say { answer = line.call, visible = true }
    say { save = screen, state = { seen = seen } }
    say { show = screen, title = string.format("Item %d, seen %d", item, seen) }
    if item < 0 then
      say { dismiss = screen, error = "com.example.Error.NoItem", message = "there is no item " .. item }
    elseif item == 13 then
      say { back = screen }
    end
  elseif line.withdraw then
    io.stderr:write("withdrawn: ", screen, " ", line.reason, "\n")
  elseif line.error then
    io.stderr:write("error: ", line.message, "\n")
  end
end
