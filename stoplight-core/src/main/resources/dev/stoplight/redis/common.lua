-- What every script of Stoplight shares; it is put in front of each of them.
-- The rules are those of the in-memory store's state machine, step by step.
--
-- KEYS  1 state   2 failures   3 calls   4 probes   5 history   6 settings     (one hash tag, so one Cluster slot)
-- ARGV  1 clock: '<' and the last moment, in µs of Redis' own TIME, at which the sender still waits; or microseconds in tests
--       2 channel   3 id   4 instance
--       5 mode   6 threshold   7 window   8 cool-off   9 cool-off-multiplier   10 max-cool-off   11 failure-rate
--       12 minimum-calls   13 max-average-latency (0: off)   14 minimum-instances   15 half-open-calls
--       16 probe-timeout   17 recovery-threshold   (durations in milliseconds)   18… the script's own
-- Reply a JSON object, the same that is published on the channel when other instances must know; or an error, LATE and the time.

local KEEP_DETAILS = 7 * 24 * 3600 * 1000
local KEEP_CLOSED = 3600 * 1000
local KEEP_FAILURES = 50
local HISTORY = 50
local BUCKETS = 60

local STATE, FAILURES, CALLS, PROBES, PAST, SETTINGS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local injected = string.sub(ARGV[1], 1, 1) ~= '<'
local channel, id, instance = ARGV[2], ARGV[3], ARGV[4]
local transition, overrides, forgotten, publish
local kept -- how many failures there are in the window, once that is known

local micros = tonumber(ARGV[1])
if not injected then
  local time = redis.call('TIME')
  micros = time[1] * 1000000 + time[2]
  -- Redis hung, and the sender has decided without it since: what it asked for would only surprise everyone.
  if micros > tonumber(string.sub(ARGV[1], 2)) then return redis.error_reply('LATE ' .. string.format('%.0f', micros)) end
end
local now = math.floor(micros / 1000)

local function int(number)
  return string.format('%.0f', number)
end

local UNITS = { ms = 1, s = 1000, m = 60000, h = 3600000, d = 86400000 }
local function millis(text)
  if text == 'off' then return 0 end
  local amount, unit = string.match(text, '^(%d+)(%a*)$')
  return amount and UNITS[unit] and amount * UNITS[unit]
end

local function pairs_of(flat)
  local map = {}
  for i = 1, #flat, 2 do map[flat[i]] = flat[i + 1] end
  return map
end

-- The configured settings, and over them what was changed at run time; a value that makes no sense is passed over.
local set
local function settings()
  overrides = pairs_of(redis.call('HGETALL', SETTINGS))
  local function pick(name, position, parse)
    local changed = overrides[name] and parse(overrides[name])
    return changed or tonumber(ARGV[position])
  end
  set = {
    mode = overrides['mode'] or ARGV[5],
    threshold = pick('threshold', 6, tonumber),
    window = pick('window', 7, millis),
    cool_off = pick('cool-off', 8, millis),
    multiplier = pick('cool-off-multiplier', 9, tonumber),
    max_cool_off = pick('max-cool-off', 10, millis),
    failure_rate = pick('failure-rate', 11, tonumber),
    minimum_calls = pick('minimum-calls', 12, tonumber),
    max_latency = pick('max-average-latency', 13, millis),
    minimum_instances = pick('minimum-instances', 14, tonumber),
    half_open_calls = pick('half-open-calls', 15, tonumber),
    probe_timeout = pick('probe-timeout', 16, millis),
    recovery = pick('recovery-threshold', 17, tonumber),
  }
  set.counts_calls = set.mode == 'rate' or set.max_latency > 0
end
settings()

local stored = redis.call('HMGET', STATE, 'state', 'epoch', 'since', 'until', 'trips', 'lock', 'successes', 'cleared')
local s = {
  state = stored[1] or 'CLOSED',
  epoch = tonumber(stored[2] or 0),
  since = tonumber(stored[3] or 0),
  till = tonumber(stored[4] or 0),
  trips = tonumber(stored[5] or 0),
  lock = stored[6] or nil,
  successes = tonumber(stored[7] or 0),
  cleared = stored[8], -- when an operator cleared the settings; with neither this nor settings, Redis has lost them
}

-- Nothing stays behind for ever; with an injected clock real expiry would only disturb.
local function expire(key, ttl)
  if not injected then redis.call('PEXPIRE', key, int(ttl)) end
end

local function save()
  redis.call('HSET', STATE, 'state', s.state, 'epoch', int(s.epoch), 'since', int(s.since), 'until', int(s.till),
    'trips', int(s.trips), 'successes', int(s.successes))
  if s.lock then
    redis.call('HSET', STATE, 'lock', s.lock)
    redis.call('PERSIST', STATE)
  else
    redis.call('HDEL', STATE, 'lock')
    expire(STATE, s.state == 'CLOSED' and math.max(KEEP_CLOSED, set.window) or math.max(0, s.till - now) + KEEP_DETAILS)
  end
end

local totalled -- what window_total found, until something is added
local function forget_counts()
  redis.call('DEL', FAILURES, CALLS, PROBES)
  totalled = nil
  s.successes = 0
end

local function change(to, reason)
  transition = { at = now, from = s.state, to = to, reason = reason, instance = instance }
  s.state = to
  s.epoch = math.max(micros, s.epoch + 1)
  s.since = now
  save()
  redis.call('LPUSH', PAST, cjson.encode(transition))
  redis.call('LTRIM', PAST, 0, HISTORY - 1)
  expire(PAST, KEEP_DETAILS)
  publish = true
end

local function open(reason)
  s.trips = s.trips + 1
  local cool_off = set.cool_off
  local most = math.max(set.max_cool_off, cool_off)
  local i = 1
  while i < s.trips and cool_off < most and set.multiplier > 1 do
    cool_off = math.min(cool_off * set.multiplier, most)
    i = i + 1
  end
  s.till = now + math.floor(cool_off)
  s.successes = 0
  redis.call('DEL', PROBES)
  change('OPEN', reason)
end

local function close(reason)
  s.trips = 0
  s.till = 0
  forget_counts()
  change('CLOSED', reason)
end

-- An outcome counts only while the light is green, by itself, and in the epoch in which the call began.
local function counts(epoch)
  return not s.lock and s.state == 'CLOSED' and epoch >= s.epoch
end

local function trim_failures()
  redis.call('ZREMRANGEBYSCORE', FAILURES, '-inf', int(now - set.window))
end

-- Keeps a failure; false when it is known already, because its command was sent twice.
local function keep(member)
  local fresh = redis.call('ZADD', FAILURES, 'NX', int(now), member) == 1
  local most = math.max(set.threshold, KEEP_FAILURES)
  kept = redis.call('ZCARD', FAILURES)
  if kept > most then
    redis.call('ZREMRANGEBYRANK', FAILURES, 0, kept - most - 1)
    kept = most
  end
  expire(FAILURES, set.window)
  return fresh
end

local function failing_instances()
  local seen, count = {}, 0
  for _, member in ipairs(redis.call('ZRANGE', FAILURES, 0, -1)) do
    local from = cjson.decode(member).instance
    if not seen[from] then
      seen[from] = true
      count = count + 1
    end
  end
  return count
end

-- Calls, failures, latency (µs) and complaining instances of the window. A bucket goes when its beginning is a window old;
-- a changed window means other buckets, so counting starts afresh.
local function window_total(write)
  if totalled and not write then return totalled end
  local total = { calls = 0, failures = 0, latency = 0, instances = 0 }
  local width = math.ceil(set.window / BUCKETS)
  local oldest = math.floor(now / width) - math.floor(set.window / width)
  local fields = pairs_of(redis.call('HGETALL', CALLS))
  totalled = total
  if fields.width and tonumber(fields.width) ~= width then
    if write then redis.call('DEL', CALLS) end
    return total, width
  end
  local gone = {}
  for field, value in pairs(fields) do
    local index, kind = string.match(field, '^(%d+):(%a)$')
    if index then
      if tonumber(index) <= oldest then
        gone[#gone + 1] = field
      elseif kind == 'c' then
        total.calls = total.calls + value
      elseif kind == 'f' then
        total.failures = total.failures + value
      else
        total.latency = total.latency + value
      end
    elseif string.sub(field, 1, 2) == 'i:' then
      if tonumber(value) <= now - set.window then
        gone[#gone + 1] = field
      else
        total.instances = total.instances + 1
      end
    end
  end
  if write and #gone > 0 then redis.call('HDEL', CALLS, unpack(gone)) end
  return total, width
end

local function add_calls(calls, failures, latency, complains)
  local _, width = window_total(true)
  local bucket = int(math.floor(now / width))
  redis.call('HSET', CALLS, 'width', width)
  if calls > 0 then
    redis.call('HINCRBY', CALLS, bucket .. ':c', int(calls))
    redis.call('HINCRBY', CALLS, bucket .. ':f', int(failures))
    redis.call('HINCRBY', CALLS, bucket .. ':l', int(latency))
  end
  if complains then redis.call('HSET', CALLS, 'i:' .. instance, int(now)) end
  expire(CALLS, set.window)
  totalled = nil
end

local function too_slow(latency, calls)
  return set.max_latency > 0 and latency > set.max_latency * 1000 * calls
end

local function broken_rule()
  if set.mode == 'rate' then
    local total = window_total(false)
    if total.calls >= set.minimum_calls and total.failures / total.calls >= set.failure_rate
        and total.instances >= set.minimum_instances then
      return 'failure rate ' .. int(math.floor(100 * total.failures / total.calls)) .. '% of ' .. int(total.calls) .. ' calls'
    end
  else
    local failures = kept or redis.call('ZCARD', FAILURES)
    if failures >= set.threshold and (set.minimum_instances == 1 or failing_instances() >= set.minimum_instances) then
      if failures == 1 then return '1 failure' end
      return int(failures) .. (set.mode == 'count' and ' failures' or ' failures in a row')
    end
  end
  if set.max_latency > 0 then
    local total = window_total(false)
    if total.calls >= set.minimum_calls and too_slow(total.latency, total.calls) and total.instances >= set.minimum_instances then
      return 'average latency ' .. int(math.floor(math.floor(total.latency / total.calls) / 1000)) .. 'ms over ' .. int(total.calls) .. ' calls'
    end
  end
end

-- Opens the light if a rule says so.
local function decide(cause)
  local reason = broken_rule()
  if reason then open(reason .. cause) end
end

local function expire_probes()
  redis.call('ZREMRANGEBYSCORE', PROBES, '-inf', int(now))
end

-- The reply; published too when other instances must know. It only reads.
local function finish(accepted, extra)
  local visible, since = s.state, s.since
  if not s.lock and s.state == 'OPEN' and now >= s.till then visible, since = 'HALF_OPEN', s.till end
  local probes, remaining = 0, 0
  if s.state == 'HALF_OPEN' then
    local live = redis.call('ZRANGEBYSCORE', PROBES, '(' .. int(now), '+inf', 'WITHSCORES')
    probes = #live / 2
    if probes >= set.half_open_calls then remaining = tonumber(live[2]) - now end
  end
  if visible == 'OPEN' then remaining = math.max(0, s.till - now) end
  local failures, near = 0, false
  if set.mode == 'rate' then
    local total = window_total(false)
    failures = total.failures
    near = total.calls < set.minimum_calls and total.failures / set.minimum_calls >= set.failure_rate
  else
    failures = kept or redis.call('ZCOUNT', FAILURES, '(' .. int(now - set.window), '+inf')
  end
  local reply = {
    id = id, instance = instance, accepted = accepted, state = visible, epoch = int(s.epoch), since = since,
    remaining = remaining, trips = s.trips, lock = s.lock, failures = failures, probes = probes,
    successes = s.successes, near = near, stamp = int(micros), transition = transition, forgotten = forgotten,
  }
  for name, value in pairs(extra or {}) do reply[name] = value end
  local json = cjson.encode(reply)
  if publish then redis.call('PUBLISH', channel, json) end
  return json
end
