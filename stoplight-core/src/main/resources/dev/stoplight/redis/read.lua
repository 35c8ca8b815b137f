-- Reads the light and what was changed at run time; writes nothing.
-- ARGV 18 '1' to have the latest failures and transitions too, newest first

local extra = { overrides = overrides }
if ARGV[18] == '1' then
  local failures = {}
  local range = redis.call('ZREVRANGEBYSCORE', FAILURES, '+inf', '(' .. int(now - set.window), 'WITHSCORES', 'LIMIT', 0, KEEP_FAILURES)
  for i = 1, #range, 2 do failures[#failures + 1] = { at = tonumber(range[i + 1]), failure = range[i] } end
  extra.recent = failures
  extra.past = redis.call('LRANGE', PAST, 0, HISTORY - 1)
end
return finish(true, extra)
