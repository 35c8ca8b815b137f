-- Puts back a light and changed settings that Redis has lost. Ignored where Redis knows better.
-- ARGV 18 worth restoring (1 or 0)   19 state   20 epoch   21 since   22 remaining ms   23 trips   24 lock (or empty)
--      25… changed settings: name, value…
-- Accepted when something was put back.

local epoch = tonumber(ARGV[20])
local accepted = false

if next(overrides) == nil and not s.cleared and #ARGV > 24 then
  for i = 25, #ARGV, 2 do redis.call('HSET', SETTINGS, ARGV[i], ARGV[i + 1]) end
  settings()
  accepted = true
end
if ARGV[18] == '1' and epoch > s.epoch then
  s.state, s.epoch, s.since = ARGV[19], epoch, tonumber(ARGV[21])
  s.till, s.trips = now + tonumber(ARGV[22]), tonumber(ARGV[23])
  s.lock = ARGV[24] ~= '' and ARGV[24] or nil
  forget_counts()
  save()
  accepted = true
end
publish = accepted
return finish(accepted, { overrides = overrides })
