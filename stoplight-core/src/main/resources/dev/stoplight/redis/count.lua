-- Adds calls that returned, for the rate and the latency rule, and decides.
-- ARGV 18 epoch   19 calls   20 their latency in µs

local epoch, calls, latency = tonumber(ARGV[18]), tonumber(ARGV[19]), tonumber(ARGV[20])

if not counts(epoch) or not set.counts_calls then return finish(false) end

trim_failures()
add_calls(calls, 0, latency, too_slow(latency, calls))
decide('')
return finish(true)
