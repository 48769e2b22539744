import { type Callback, Redis, type Result } from 'ioredis';
import { within } from '../concurrency/index.js';
import type { RedisHealth } from '../redis/redis.js';
import { type Hit, RateLimitStore } from './rate-limit-store.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /**
     * Returns four numbers: whether the request is allowed (1 or 0), the number of counted requests, the time of the
     * oldest one, and the current time. Times are in Unix milliseconds.
     */
    countRequest(
      key: string,
      limit: number,
      windowMs: number,
      now: number | '',
      callback?: Callback<[number, number, number, number]>,
    ): Result<[number, number, number, number], Context>;
  }
}

/**
 * A Lua script that keeps a list of the times at which requests were allowed, oldest first. The times come from Redis,
 * so the clocks of the hosts do not matter. A time is never earlier than the previous one, even if the clock of Redis
 * steps back. Expired entries are found by binary search and removed with one command, so even a full bucket costs only
 * a few reads.
 */
const COUNT_REQUEST = `
local key, limit, window, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function moment(index)
  return tonumber(redis.call('LINDEX', key, index))
end

local count = redis.call('LLEN', key)
if count > 0 then
  now = math.max(now, moment(-1))
  local expired, living = 0, count
  if moment(0) > now - window then living = 0 end
  while expired < living do
    local middle = math.floor((expired + living) / 2)
    if moment(middle) > now - window then living = middle else expired = middle + 1 end
  end
  if expired > 0 then
    redis.call('LTRIM', key, expired, -1)
    count = count - expired
  end
end

local allowed = 0
if count < limit then
  allowed = 1
  count = count + 1
  redis.call('RPUSH', key, string.format('%.0f', now))
  redis.call('PEXPIRE', key, window)
end
return {allowed, count, count > 0 and moment(0) or now, now}
`;

const KEY_PREFIX = 'rate-limit:';
/**
 * Time limit for an answer of Redis, because requests wait for it. After this time, Redis is treated as unavailable.
 */
const ANSWER_LIMIT_MS = 100;
const CONNECT_LIMIT_MS = 2_000;
/** How long a connection that does not answer may stay open before it is destroyed. */
const CUT_MS = 200;

export interface RedisRateLimitOptions {
  readonly url: string;
  readonly answerLimitMs?: number;
  /** Replaces Redis's own time, in Unix milliseconds, for tests of the window. */
  readonly now?: () => number;
}

/** Keeps an exact log of each bucket in Redis, shared by all processes. Rejects at once while Redis is unavailable. */
export class RedisRateLimitStore extends RateLimitStore {
  private readonly client: Redis;

  constructor(private readonly options: RedisRateLimitOptions) {
    super();
    this.client = new Redis(options.url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: CONNECT_LIMIT_MS,
      commandTimeout: Math.max(CONNECT_LIMIT_MS, options.answerLimitMs ?? 0),
      disconnectTimeout: CUT_MS,
      retryStrategy: (times) => Math.min(times * 50, 1_000),
    });
    this.client.defineCommand('countRequest', { numberOfKeys: 1, lua: COUNT_REQUEST });
    // Callers get the error themselves. This event would repeat it at every reconnection attempt.
    this.client.on('error', () => undefined);
  }

  /** Resolves when Redis answers, or after 2 seconds without an answer. The client then connects in the background. */
  async connect(): Promise<void> {
    await within(CONNECT_LIMIT_MS, this.client.connect(), noAnswer).catch(() => undefined);
  }

  override async hit(bucket: string, limit: number, windowMs: number): Promise<Hit> {
    const { answerLimitMs = ANSWER_LIMIT_MS, now: time } = this.options;
    const counted = this.client.countRequest(KEY_PREFIX + bucket, limit, windowMs, time?.() ?? '');
    const [allowed, count, oldest, now] = await within(answerLimitMs, counted, noAnswer).catch((error: unknown) => {
      // The server may be gone without having closed the connection. A new connection detects this.
      if (error instanceof NoAnswer) this.client.disconnect(true);
      throw error;
    });
    return { isAllowed: allowed === 1, remaining: Math.max(0, limit - count), resetAt: oldest + windowMs, now };
  }

  /** Counts a request. This also detects a Redis that answers but cannot run the script or accept writes. */
  override async health(): Promise<RedisHealth> {
    await this.hit('health', 1, 1);
    return 'ok';
  }

  override close(): void {
    this.client.disconnect();
  }
}

class NoAnswer extends Error {}

const noAnswer = (): NoAnswer => new NoAnswer('no answer in time');
