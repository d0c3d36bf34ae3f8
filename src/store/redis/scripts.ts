import { createHash } from 'node:crypto';

/** A program Redis runs in one step, known to it by its digest. */
export interface Script {
  readonly source: string;
  readonly digest: string;
}

const script = (source: string): Script => ({ source, digest: createHash('sha1').update(source).digest('hex') });

// A record is a string: its version, a colon, its JSON.
export const PUT_IF = script(`
local head = redis.call('GETRANGE', KEYS[1], 0, 16)
if string.match(head, '^(%d+):') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`);

// A log is a list. Its head says the position of the oldest text held, the bytes of all texts held and whether it was
// ended; the texts follow. Where texts fall out the first write frees memory, so that a full server lets a log go on.
const HEAD = `
local function read(key)
  local head = redis.call('LINDEX', key, 0)
  if not head then return nil end
  local first, bytes, ended = string.match(head, '^(%d+) (%d+) (%d)$')
  return tonumber(first), tonumber(bytes), ended, redis.call('LLEN', key) - 1
end`;

// KEYS: log. ARGV: text, entries, bytes, ttl, channel, '1' to end the log.
export const APPEND = script(`${HEAD}
local key, size, most = KEYS[1], #ARGV[1], tonumber(ARGV[3])
local first, bytes, ended, count = read(key)
if ended == '1' then return false end
local known = first ~= nil
first, bytes, count = first or 1, bytes or 0, count or 0
local position, fits = first + count, size <= most
local keepEntries, keepBytes = 0, 0
if fits then keepEntries, keepBytes = tonumber(ARGV[2]) - 1, most - size end
local cut = count > keepEntries or bytes > keepBytes
if cut then redis.call('LPOP', key) end
while count > 0 and (count > keepEntries or bytes > keepBytes) do
  bytes = bytes - #redis.call('LPOP', key)
  count = count - 1
  first = first + 1
end
if fits then bytes = bytes + size else first = position + 1 end
local head = string.format('%.0f %.0f %s', first, bytes, ARGV[6])
if cut or not known then redis.call('LPUSH', key, head) else redis.call('LSET', key, 0, head) end
if fits then redis.call('RPUSH', key, ARGV[1]) end
redis.call('PEXPIRE', key, ARGV[4])
redis.call('PUBLISH', ARGV[5], '')
return position`);

// KEYS: log. ARGV: position, limit.
export const READ = script(`${HEAD}
local first, bytes, ended, count = read(KEYS[1])
if not first then return false end
local skip = math.max(tonumber(ARGV[1]) + 1 - first, 0)
local last = math.min(skip + tonumber(ARGV[2]), count)
local texts = {}
if skip < count then texts = redis.call('LRANGE', KEYS[1], skip + 1, last) end
return { first, first + count, ended, texts }`);

// KEYS: log. ARGV: channel.
export const REMOVE_LOG = script(`
if redis.call('DEL', KEYS[1]) == 0 then return 0 end
redis.call('PUBLISH', ARGV[1], '')
return 1`);

// A bucket is a string: its tokens and when that was right. It expires when it is full again.
// KEYS: bucket. ARGV: capacity, tokens regained in a second, cost.
export const TAKE = script(`
local capacity, refill, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local tokens, held = capacity, redis.call('GET', KEYS[1])
if held then
  local had, at = string.match(held, '^(%S+) (%S+)$')
  tokens = math.min(capacity, tonumber(had) + math.max(0, now - tonumber(at)) * refill / 1000)
end
local left = tokens - cost
if left < -1e-9 then return { 0, math.ceil(-left * 1000 / refill) } end
local life = math.min(math.ceil((capacity - left) * 1000 / refill), 1e12)
if life > 0 then
  redis.call('SET', KEYS[1], string.format('%.17g %.17g', left, now), 'PX', string.format('%.0f', life))
end
return { 1, math.max(0, math.floor(left + 1e-9)) }`);

// An inbox is a list that lives as long as its holder renews it. Its head says who holds it, the position of the oldest
// message that was not taken and the bytes of all that were not; the messages follow.
const HOLDER = `
local function read(key)
  local head = redis.call('LINDEX', key, 0)
  if not head then return nil end
  local holder, first, bytes = string.match(head, '^(%S+) (%d+) (%d+)$')
  return holder, tonumber(first), tonumber(bytes), redis.call('LLEN', key) - 1
end
local function head(holder, first, bytes)
  return string.format('%s %.0f %.0f', holder, first, bytes)
end`;

// KEYS: inbox. ARGV: holder, ttl.
export const OPEN = script(`${HOLDER}
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], head(ARGV[1], 1, 0))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

// KEYS: inbox. ARGV: message, most messages, most bytes, channel.
export const SEND = script(`${HOLDER}
local holder, first, bytes, count = read(KEYS[1])
if not holder then return 0 end
bytes = bytes + #ARGV[1]
if count >= tonumber(ARGV[2]) or bytes > tonumber(ARGV[3]) then return -1 end
redis.call('LSET', KEYS[1], 0, head(holder, first, bytes))
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[4], string.format('%s %.0f ', holder, first + count) .. ARGV[1])
return 1`);

// KEYS: inbox. ARGV: holder, position up to which messages were taken, ttl. Answers what came after it.
export const RENEW = script(`${HOLDER}
local holder, first, bytes, count = read(KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
local taken = math.min(tonumber(ARGV[2]) - first + 1, count)
if taken > 0 then
  redis.call('LPOP', KEYS[1])
  for _ = 1, taken do bytes = bytes - #redis.call('LPOP', KEYS[1]) end
  redis.call('LPUSH', KEYS[1], head(holder, first + taken, bytes))
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('LRANGE', KEYS[1], 1, -1)`);

// KEYS: inbox. ARGV: holder.
export const LET_GO = script(`${HOLDER}
if read(KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);
