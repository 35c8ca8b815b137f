-- Forgets a streak of failures, because a call succeeded.
-- ARGV 18 epoch
-- Accepted when there was a streak.

local epoch = tonumber(ARGV[18])

if not counts(epoch) or set.mode ~= 'consecutive' then return finish(false) end

trim_failures()
publish = redis.call('DEL', FAILURES) == 1
return finish(publish)
