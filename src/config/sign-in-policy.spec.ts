import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './load-config.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('the sign-in policy', () => {
  it('requires nothing when nothing is set', () => {
    expect(loadConfig({}).signInPolicy).toEqual({ requiresSecondFactor: false, passwordlessDomains: [] });
  });

  it('takes domains in any case and in Unicode, and keeps each once in lower-case A-labels', () => {
    const { signInPolicy } = loadConfig({
      REQUIRE_MFA: 'yes',
      REQUIRE_SSO_DOMAINS:
        ' Acme.example,ACME.example, B\u00fccher.Example,xn--bcher-kva.example,bu\u0308cher.example,',
    });
    expect(signInPolicy).toEqual({
      requiresSecondFactor: true,
      passwordlessDomains: ['acme.example', 'xn--bcher-kva.example'],
    });
  });

  it.each([
    '@acme.example',
    'ada@acme.example',
    '*.acme.example',
    '.acme.example',
    'acme.example.',
    'acme..example',
    'acme',
    'acme.example:443',
    'https://acme.example',
    'acme.example/path',
    '-acme.example',
    '192.0.2.1',
    'xn--a.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(126)}example`,
    'acme example',
    'acme.example;beta.example',
  ])('refuses %s among the domains', (domain) => {
    expect(faultsOf({ REQUIRE_SSO_DOMAINS: `beta.example,${domain}` })).toEqual([
      'REQUIRE_SSO_DOMAINS must be comma-separated domains such as example.com, without @, * and a port',
    ]);
  });

  it('refuses a value of REQUIRE_MFA that is neither true nor false', () => {
    expect(faultsOf({ REQUIRE_MFA: 'sometimes' })).toEqual(['REQUIRE_MFA must be true or false']);
  });
});
