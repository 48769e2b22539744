import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './load-config.js';

const ec = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const GOOGLE = { OAUTH_GOOGLE_CLIENT_ID: 'id.apps.example.com', OAUTH_GOOGLE_CLIENT_SECRET: 'a-client-secret' };
const APPLE = {
  OAUTH_APPLE_CLIENT_ID: 'com.example.service',
  OAUTH_APPLE_TEAM_ID: 'TEAM123456',
  OAUTH_APPLE_KEY_ID: 'KEY7890123',
  OAUTH_APPLE_PRIVATE_KEY: ec('P-256'),
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

describe('the configuration of sign-in providers', () => {
  it('leaves both off when nothing is set', () => {
    expect(loadConfig({}).oauth).toEqual({ google: undefined, apple: undefined });
  });

  it("turns a provider on by its names, with the provider's own issuer unless another is set", () => {
    const { oauth } = loadConfig({ ...GOOGLE, ...APPLE, OAUTH_APPLE_ISSUER: 'http://127.0.0.1:9000' });
    expect(oauth.google).toEqual({
      issuer: 'https://accounts.google.com',
      clientId: 'id.apps.example.com',
      clientSecret: 'a-client-secret',
    });
    expect(oauth.apple).toMatchObject({ issuer: 'http://127.0.0.1:9000', teamId: 'TEAM123456', keyId: 'KEY7890123' });
  });

  it('takes the private key on one line too', () => {
    const oneLine = { ...APPLE, OAUTH_APPLE_PRIVATE_KEY: APPLE.OAUTH_APPLE_PRIVATE_KEY.replaceAll('\n', '\\n') };
    expect(loadConfig(oneLine).oauth.apple?.privateKey).toBe(APPLE.OAUTH_APPLE_PRIVATE_KEY.trim());
  });

  it.each(Object.keys({ ...GOOGLE, ...APPLE }))('refuses a provider that lacks %s alone', (name) => {
    const faults = faultsOf({ ...GOOGLE, ...APPLE, [name]: '' });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} is missing, though OAUTH_\\w+ is set$`))]);
  });

  it('refuses an issuer without the rest', () => {
    expect(faultsOf({ OAUTH_GOOGLE_ISSUER: 'https://accounts.google.com' })).toHaveLength(2);
  });

  it.each([
    ['a key on another curve', { OAUTH_APPLE_PRIVATE_KEY: ec('P-384') }],
    ['two keys', { OAUTH_APPLE_PRIVATE_KEY: ec('P-256') + ec('P-256') }],
    ['a key that is none', { OAUTH_APPLE_PRIVATE_KEY: 'secret' }],
    ['an issuer that is no URL', { OAUTH_GOOGLE_ISSUER: 'accounts.google.com' }],
    ['an issuer with a query', { OAUTH_GOOGLE_ISSUER: 'https://accounts.google.com?x' }],
    ['a client identifier with white space', { OAUTH_GOOGLE_CLIENT_ID: 'my client' }],
  ])('names %s as the one fault, without its value', (_, change) => {
    const [[name, value]] = Object.entries(change) as [[string, string]];
    const faults = faultsOf({ ...GOOGLE, ...APPLE, ...change });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
    expect(faults.join()).not.toContain(value);
  });

  it('wants TLS in production', () => {
    const faults = faultsOf({ NODE_ENV: 'production', ...GOOGLE, OAUTH_GOOGLE_ISSUER: 'http://accounts.example.com' });
    expect(faults).toContain('OAUTH_GOOGLE_ISSUER must be https in production');
  });
});
