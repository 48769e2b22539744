export { addressBucket } from './client-address.js';
export { MemoryRateLimitStore } from './memory-store.js';
export { overridden, policyOf, type RateLimitPolicy } from './policy.js';
export { RATE_LIMIT_POLICIES, RateLimitCredentials, RateLimitExceeded, RateLimitGuard } from './rate-limit.guard.js';
export { type Hit, RateLimitStore } from './rate-limit-store.js';
