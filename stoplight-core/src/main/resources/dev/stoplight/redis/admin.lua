-- What an operator does: lock, unlock, reset, configure, forget.
-- ARGV 18 action   19… configure: name, value, name, value…
--      action: LOCK_OPEN, LOCK_CLOSED, UNLOCK, RESET, CONFIGURE (adds), RECONFIGURE (replaces), FORGET

local action = ARGV[18]

local function lock(wanted, state, reason)
  if s.lock == wanted then return finish(false) end
  s.lock = wanted
  s.trips = 0
  s.till = 0
  forget_counts()
  change(state, reason)
  return finish(true)
end

if action == 'LOCK_OPEN' then return lock('OPEN', 'OPEN', 'locked open') end
if action == 'LOCK_CLOSED' then return lock('CLOSED', 'CLOSED', 'locked closed') end
if action == 'UNLOCK' then return lock(nil, 'CLOSED', 'unlocked') end
if action == 'RESET' then
  if s.lock then
    forget_counts()
    return finish(false)
  end
  close('reset')
  return finish(true)
end
if action == 'FORGET' then
  redis.call('DEL', STATE, FAILURES, CALLS, PROBES, PAST, SETTINGS)
  s = { state = 'CLOSED', epoch = 0, since = 0, till = 0, trips = 0, successes = 0 }
  forgotten = true
else
  if action == 'RECONFIGURE' then redis.call('DEL', SETTINGS) end
  for i = 19, #ARGV, 2 do redis.call('HSET', SETTINGS, ARGV[i], ARGV[i + 1]) end
end
settings()
if next(overrides) then
  redis.call('HDEL', STATE, 'cleared')
elseif not forgotten then
  s.cleared = int(micros)
  redis.call('HSET', STATE, 'cleared', s.cleared)
  save()
end
publish = true
return finish(true, { overrides = overrides })
