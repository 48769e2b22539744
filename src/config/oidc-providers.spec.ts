import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { renderConfigurationTable, renderEnvExample } from './listing.js';
import { ConfigError, loadConfig } from './load-config.js';

const ACME = {
  OIDC_ACME_ISSUER: 'https://id.acme.example',
  OIDC_ACME_CLIENT_ID: 'events',
  OIDC_ACME_CLIENT_SECRET: 'a-client-secret',
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

describe('the configuration of OpenID Connect providers', () => {
  it('has no provider when nothing is set', () => {
    expect(loadConfig({ OIDC_ACME_ISSUER: ' ' }).oidcProviders).toEqual([]);
  });

  it('has a provider with defaults for what is not set', () => {
    expect(loadConfig(ACME).oidcProviders).toEqual([
      {
        name: 'acme',
        issuer: 'https://id.acme.example',
        clientId: 'events',
        clientSecret: 'a-client-secret',
        label: 'ACME',
        icon: null,
        scopes: 'openid email profile',
        allowedDomains: null,
        organization: null,
        role: 'viewer',
        groups: [],
        groupsClaim: 'groups',
        trustsEmail: false,
      },
    ]);
  });

  it('reads every setting, of names with an underscore too', () => {
    const icon = 'data:image/svg+xml;base64,PHN2Zy8+';
    const env = {
      ...ACME,
      OIDC_MY_CORP_ISSUER: 'http://127.0.0.1:9000/realms/x',
      OIDC_MY_CORP_CLIENT_ID: 'id',
      OIDC_MY_CORP_CLIENT_SECRET: 'secret',
      OIDC_MY_CORP_LABEL: 'My Corp',
      OIDC_MY_CORP_ICON: icon,
      OIDC_MY_CORP_SCOPES: 'openid  email groups',
      OIDC_MY_CORP_ALLOWED_DOMAINS: 'Example.com, bücher.example',
      OIDC_MY_CORP_ORGANIZATION: 'my-corp',
      OIDC_MY_CORP_ROLE: 'member',
      OIDC_MY_CORP_GROUPS: 'on=call=my-corp:operator, Platform:Admins=my-corp:admin',
      OIDC_MY_CORP_GROUPS_CLAIM: 'roles',
      OIDC_MY_CORP_TRUST_EMAIL: 'yes',
    };
    const providers = loadConfig(env).oidcProviders;
    expect(providers.map(({ name }) => name)).toEqual(['acme', 'my_corp']);
    expect(providers[1]).toEqual({
      name: 'my_corp',
      issuer: 'http://127.0.0.1:9000/realms/x',
      clientId: 'id',
      clientSecret: 'secret',
      label: 'My Corp',
      icon,
      scopes: 'openid email groups',
      allowedDomains: ['example.com', 'xn--bcher-kva.example'],
      organization: 'my-corp',
      role: 'member',
      groups: [
        { group: 'on=call', organization: 'my-corp', role: 'operator' },
        { group: 'Platform:Admins', organization: 'my-corp', role: 'admin' },
      ],
      groupsClaim: 'roles',
      trustsEmail: true,
    });
  });

  it('takes the secret from a file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'oidc-')), 'secret');
    writeFileSync(path, 'from-a-file\n');
    const { OIDC_ACME_CLIENT_SECRET: _, ...others } = ACME;
    const { oidcProviders } = loadConfig({ ...others, OIDC_ACME_CLIENT_SECRET_FILE: path });
    expect(oidcProviders[0]?.clientSecret).toBe('from-a-file');
    expect(faultsOf({ ...ACME, OIDC_ACME_CLIENT_SECRET_FILE: path })).toEqual([
      'OIDC_ACME_CLIENT_SECRET_FILE and OIDC_ACME_CLIENT_SECRET are both set: unset one of them',
    ]);
  });

  it.each(Object.keys(ACME))('refuses a provider that lacks %s alone', (name) => {
    expect(faultsOf({ ...ACME, [name]: '' })).toEqual([
      `${name} is missing, though another variable of OIDC_ACME is set`,
    ]);
  });

  it.each([
    ['an issuer that is no URL', 'ISSUER', 'id.acme.example'],
    ['an issuer with a query', 'ISSUER', 'https://id.acme.example?x'],
    ['an issuer with a password', 'ISSUER', 'https://me:pass@id.acme.example'],
    ['an issuer of another scheme', 'ISSUER', 'ftp://id.acme.example'],
    ['a client identifier with white space', 'CLIENT_ID', 'my client'],
    ['a label of two lines', 'LABEL', 'Ac\nme'],
    ['an icon at an address', 'ICON', 'https://acme.example/icon.png'],
    ['an icon that is a page', 'ICON', 'data:text/html,<h1>'],
    ['scopes without openid', 'SCOPES', 'email profile'],
    ['a domain that is an address', 'ALLOWED_DOMAINS', 'ada@example.com'],
    ['a domain with a wildcard', 'ALLOWED_DOMAINS', '*.example.com'],
    ['separators without a domain', 'ALLOWED_DOMAINS', ' , ,'],
    ['a slug with white space', 'ORGANIZATION', 'my corp'],
    ['the role owner', 'ROLE', 'owner'],
    ['an unknown role', 'ROLE', 'root'],
    ['a group without a role', 'GROUPS', 'admins=acme'],
    ['a group without an organization', 'GROUPS', 'admins:admin'],
    ['a group that makes an owner', 'GROUPS', 'admins=acme:owner'],
    ['an answer that is neither yes nor no', 'TRUST_EMAIL', 'perhaps'],
  ])('names %s as the one fault, without its value', (_, suffix, value) => {
    const faults = faultsOf({ ...ACME, [`OIDC_ACME_${suffix}`]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^OIDC_ACME_${suffix} must `))]);
    if (value !== 'owner') expect(faults.join()).not.toContain(value);
  });

  it('refuses a setting that is misspelled, because it would not restrict anything', () => {
    expect(faultsOf({ ...ACME, OIDC_ACME_ALLOWED_DOMAIN: 'example.com' })).toEqual([
      'OIDC_ACME_ALLOWED_DOMAIN is no setting of an OpenID Connect provider',
    ]);
    expect(faultsOf({ OIDC_OTHER: 'of another program' })).toEqual([]);
  });

  it('wants TLS in production', () => {
    const faults = faultsOf({ NODE_ENV: 'production', ...ACME, OIDC_ACME_ISSUER: 'http://id.acme.example' });
    expect(faults).toContain('OIDC_ACME_ISSUER must be https in production');
  });

  it('is listed with a pattern for the name', () => {
    expect(renderEnvExample()).toContain('\n#OIDC_<NAME>_CLIENT_SECRET=\n#OIDC_<NAME>_CLIENT_SECRET_FILE=\n');
    expect(renderConfigurationTable()).toContain('| `OIDC_<NAME>_ROLE` | `viewer` |');
  });
});
