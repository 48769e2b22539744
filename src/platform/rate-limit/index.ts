export { addressBucket } from './address-bucket.js';
export { FailOpenStore } from './fail-open-store.js';
export { MemoryRateLimitStore } from './memory-store.js';
export { PolicyFinder } from './policy-finder.js';
export { overridden, type RateLimitPolicy } from './policy.js';
export { RATE_LIMIT_POLICIES, RateLimitCredentials, RateLimiter, RateLimitExceeded } from './rate-limiter.js';
export { RateLimitStore } from './rate-limit-store.js';
export { RedisRateLimitStore } from './redis-store.js';
