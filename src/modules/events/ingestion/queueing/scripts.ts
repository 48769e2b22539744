/**
 * Adds a request to the stream and counts it, or returns why it did not. The script has either all effects or none.
 *
 * The hashes of an organization's month and of a source's day count the accepted events (`a`) and how many of them have
 * been stored (`d`). The caller reads `d` first and then the counter in the database, so the counter lacks at most
 * `a - d` events. A request that fits even if the counter lacks all of these events is admitted. The counter may lack
 * fewer of them, because some were stored since `d` was read. Then `d` has risen meanwhile, or their entries are still
 * in the set of entries that are being stored. A request that fits only in this case is answered 'again', and the
 * caller tries it again a moment later. So no request is refused wrongly, and none is admitted beyond a limit.
 *
 * The limits are checked in the same order as in the other ingestion modes: month, requests, day.
 *
 * KEYS: stream, month, day, idempotency key, set of entries that are being stored. ARGV: payload, number of events,
 * maximum number of entries in the stream; then for month and for day: limit or '', used, stored when `used` was read;
 * then '' or the hash of the request, and the record of its answer; 1 when the month's requests are used up, else 0.
 * Returns one of: 'replay' with record, admitted events and ending, 'conflict', 'again', 'month', 'requests', 'day',
 * 'overloaded', 'ok' with the number of admitted events and the limit that ends them ('', 'month', 'day').
 */
export const ACCEPT_SCRIPT = `
local count = tonumber(ARGV[2])
local hash = ARGV[10]
if hash ~= '' then
  local known = redis.call('HMGET', KEYS[4], 'hash', 'record', 'admitted', 'ending')
  if known[1] then
    if known[1] == hash then return {'replay', known[2], known[3], known[4]} end
    return {'conflict'}
  end
end
-- What is surely left, and whether it may be more.
local isAtWork = redis.call('SCARD', KEYS[5]) > 0
local function room(key, limit, used, stored)
  if limit == '' then return math.huge, false end
  local kept = redis.call('HMGET', key, 'a', 'd')
  local accepted, now = tonumber(kept[1] or '0'), tonumber(kept[2] or '0')
  -- Redis has lost its memory since: what it counts begins anew.
  if now < tonumber(stored) then return 0, true end
  local left, missing = tonumber(limit) - tonumber(used), accepted - tonumber(stored)
  return left - missing, left >= 1 and missing > 0 and (isAtWork or now ~= tonumber(stored))
end

local month, mayBeMore = room(KEYS[2], ARGV[4], ARGV[5], ARGV[6])
local day, dayMayBeMore = room(KEYS[3], ARGV[7], ARGV[8], ARGV[9])
local admitted = math.min(count, month, day)
if month < 1 then return {mayBeMore and 'again' or 'month'} end
if ARGV[12] == '1' then return {'requests'} end
if day < 1 then return {dayMayBeMore and 'again' or 'day'} end
if admitted < count and (mayBeMore or dayMayBeMore) then return {'again'} end
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[3]) then return {'overloaded'} end
local ending = ''
if admitted < count then ending = month <= admitted and 'month' or 'day' end

if admitted > 0 or hash ~= '' then
  redis.call('XADD', KEYS[1], '*', 'request', ARGV[1], 'admitted', admitted, 'ending', ending)
end
redis.call('HINCRBY', KEYS[2], 'a', admitted)
redis.call('EXPIRE', KEYS[2], 3456000)
redis.call('HINCRBY', KEYS[3], 'a', admitted)
redis.call('EXPIRE', KEYS[3], 259200)
if hash ~= '' then
  redis.call('HSET', KEYS[4], 'hash', hash, 'record', ARGV[11], 'admitted', admitted, 'ending', ending)
  redis.call('EXPIRE', KEYS[4], 86400)
end
return {'ok', admitted, ending}`;

/**
 * Releases entries of one sender and day whose events have been stored. Only the caller that still finds an entry
 * pending counts it, so each is counted once. KEYS: stream, month, day, set of entries that are being stored. ARGV: the
 * group, then the id and the number of events of each entry.
 */
export const RELEASE_SCRIPT = `
local stored = 0
for place = 2, #ARGV, 2 do
  redis.call('SREM', KEYS[4], ARGV[place])
  if redis.call('XACK', KEYS[1], ARGV[1], ARGV[place]) == 1 then
    redis.call('XDEL', KEYS[1], ARGV[place])
    stored = stored + tonumber(ARGV[place + 1])
  end
end
for place = 2, 3 do
  if redis.call('EXISTS', KEYS[place]) == 1 then redis.call('HINCRBY', KEYS[place], 'd', stored) end
end`;
