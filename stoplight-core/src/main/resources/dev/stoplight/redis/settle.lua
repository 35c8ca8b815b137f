-- Ends a probe. One that outlived its lease, or its epoch, changes nothing.
-- ARGV 18 epoch   19 lease   20 SUCCESS, FAILURE or RELEASED   21 failure (JSON, or empty)   22 its cause, for people

local epoch, lease, verdict, failure, cause = tonumber(ARGV[18]), ARGV[19], ARGV[20], ARGV[21], ARGV[22]

if s.lock or s.state ~= 'HALF_OPEN' or epoch ~= s.epoch then return finish(false) end
expire_probes()
if redis.call('ZREM', PROBES, lease) == 0 then return finish(false) end

publish = true
if verdict == 'SUCCESS' then
  s.successes = s.successes + 1
  if s.successes < set.recovery then
    save()
  else
    close(s.successes == 1 and 'probe succeeded' or int(s.successes) .. ' probes succeeded')
  end
elseif verdict == 'FAILURE' then
  trim_failures()
  if failure ~= '' then keep(failure) end
  open('probe failed' .. cause)
end
return finish(true)
