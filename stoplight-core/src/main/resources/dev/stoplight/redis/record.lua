-- Records a failure, trims the window and decides.
-- ARGV 18 epoch   19 failure (JSON)   20 its cause, for people   21 its duration in µs   22 calls counted since   23 their µs
-- Accepted when the failure counts and was not known yet.

local epoch, failure, cause, duration = tonumber(ARGV[18]), ARGV[19], ARGV[20], tonumber(ARGV[21])
local calls, latency = tonumber(ARGV[22]), tonumber(ARGV[23])

if not counts(epoch) then return finish(false) end

trim_failures()
local fresh = keep(failure)
if fresh and set.counts_calls then add_calls(calls + 1, 1, latency + duration, true) end
-- The first failure of a streak is told to everyone, because a success anywhere must clear it.
publish = fresh and kept == 1 and set.mode == 'consecutive'
decide(cause)
return finish(fresh)
