import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './load-config.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://u:p@db/x',
  REDIS_URL: 'redis://redis:6379',
  SMTP_URL: 'smtp://mail',
  CREDENTIAL_ENCRYPTION_KEYS: 'disabled',
  JWT_PRIVATE_KEYS: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  PUBLIC_API_URL: 'https://api.example.com',
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('the configuration of rate limits', () => {
  it('chooses the memory of the process without Redis, and Redis when it is configured', () => {
    expect(loadConfig({}).rateLimits).toEqual({
      backend: 'memory',
      redisUrl: undefined,
      overrides: {},
      authLoginIp: 20,
      authRegisterIp: 15,
    });
    expect(loadConfig({ REDIS_URL: 'redis://a' }).rateLimits).toMatchObject({
      backend: 'redis',
      redisUrl: 'redis://a',
    });
    const both = loadConfig({ REDIS_URL: 'redis://a', RATE_LIMIT_REDIS_URL: 'redis://b' });
    expect(both.rateLimits).toMatchObject({ backend: 'redis', redisUrl: 'redis://b' });
    expect(loadConfig({ REDIS_URL: 'redis://a', RATE_LIMIT_BACKEND: 'memory' }).rateLimits.backend).toBe('memory');
  });

  it('reads overrides of one or two limits, and lets the last one of a policy win', () => {
    const { overrides } = loadConfig({ RATE_LIMIT_OVERRIDES: 'events=5/6, auth-login=500,events=7' }).rateLimits;
    expect(overrides).toEqual({
      events: { ip: 7, credential: undefined },
      'auth-login': { ip: 500, credential: undefined },
    });
  });

  it('reads overrides of up to fifteen digits', () => {
    const [most, more] = ['9'.repeat(15), '1'.padEnd(16, '0')];
    const { overrides } = loadConfig({ RATE_LIMIT_OVERRIDES: `events=${most}/${most}` }).rateLimits;
    expect(overrides).toEqual({ events: { ip: Number(most), credential: Number(most) } });
    expect(faultsOf({ RATE_LIMIT_OVERRIDES: `events=${more}` })).toHaveLength(1);
  });

  it.each(['events', 'events=0', 'events=-1', 'events=1/0', 'nothing=5', 'events=5/6/7', 'events=1.5'])(
    'refuses the override %s',
    (text) => {
      expect(faultsOf({ RATE_LIMIT_OVERRIDES: text })).toEqual([
        expect.stringContaining('RATE_LIMIT_OVERRIDES must be'),
      ]);
    },
  );

  it('refuses memory in production, and needs a Redis there', () => {
    expect(faultsOf(PRODUCTION)).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, RATE_LIMIT_BACKEND: 'memory' })).toEqual([
      'RATE_LIMIT_BACKEND memory is refused in production',
    ]);
    expect(faultsOf({ ...PRODUCTION, REDIS_URL: '' })).toEqual([
      'RATE_LIMIT_REDIS_URL or REDIS_URL is required in production',
    ]);
    expect(faultsOf({ ...PRODUCTION, REDIS_URL: '', RATE_LIMIT_REDIS_URL: 'rediss://b' })).toEqual([]);
    expect(faultsOf({ RATE_LIMIT_BACKEND: 'redis' })).toEqual([
      'RATE_LIMIT_BACKEND is redis but neither RATE_LIMIT_REDIS_URL nor REDIS_URL is set',
    ]);
  });

  it.each(['0', '-3', 'many'])('refuses %s as the limit of an address', (text) => {
    const faults = faultsOf({ AUTH_LOGIN_RATE_LIMIT_IP: text, AUTH_REGISTER_RATE_LIMIT_IP: text });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'AUTH_LOGIN_RATE_LIMIT_IP',
      'AUTH_REGISTER_RATE_LIMIT_IP',
    ]);
  });
});
