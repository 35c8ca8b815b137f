-- Asks for a probe: the first after the cool-off turns the light yellow.
-- ARGV 18 lease
-- Accepted when the probe may run; asking twice with one lease takes one.

local lease = ARGV[18]

if s.lock or s.state == 'CLOSED' or (s.state == 'OPEN' and now < s.till) then return finish(false) end

-- First, because it frees memory: a Redis that is full refuses a script whose first write takes some, and the light would stay red.
expire_probes()
if s.state == 'OPEN' then change('HALF_OPEN', 'cool-off over') end
if not redis.call('ZSCORE', PROBES, lease) then
  if redis.call('ZCARD', PROBES) >= set.half_open_calls then return finish(false) end
  redis.call('ZADD', PROBES, int(now + set.probe_timeout), lease)
  local left = redis.call('PTTL', PROBES)
  expire(PROBES, math.max(left, set.probe_timeout))
end
return finish(true)
