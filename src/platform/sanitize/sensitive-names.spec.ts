import { describe, expect, it } from '@jest/globals';
import { isSensitiveName, kindOfName } from './sensitive-names.js';

describe('isSensitiveName', () => {
  it('knows names of credentials in every spelling', () => {
    const names = [
      'password',
      'Password',
      'new_password',
      'passwordConfirmation',
      'password_hash',
      'userPassword2',
      'SMTP_PASS',
      'db.passwd',
      'token',
      'accessToken',
      'refresh-token',
      'X-Step-Up-Token',
      'token_hash',
      'secret',
      'clientSecret',
      'WEBHOOK_SECRET',
      'apiKey',
      'api_key',
      'X-API-Key',
      'APIKey',
      'privateKey',
      'AWS_SECRET_ACCESS_KEY',
      'authorization',
      'Proxy-Authorization',
      'cookie',
      'Set-Cookie',
      'recovery_code',
      'sessionId',
      'tokens',
      'secrets',
      'credentials',
      'db_creds',
      'X-Custom-Auth',
      'custom_auth',
      'X-Partner-Key',
      'X-Session',
      'user-session',
      'X-Auth-Partner',
      'X-Hub-Signature-256',
      'X-Jwt-Assertion',
      'X-Hmac',
      'login_otp',
    ];
    expect(names.filter((name) => !isSensitiveName(name))).toEqual([]);
  });

  it('leaves names alone that only sound like them', () => {
    const names = [
      'monkey',
      'keyboard',
      'key',
      'code',
      'token_count',
      'tokenType',
      'max_tokens',
      'password_policy',
      'passwordChangedAt',
      'secret_name',
      'secretary',
      'sacred',
      'author',
      'authenticated',
      'idempotency_key',
      'X-Idempotency-Key',
      'X-Routing-Key',
      'X-Token-Count',
      'X-Session-Name',
      'X-Request-Id',
      'X-Author',
      'X-Monkey',
      'compass',
      'path',
      'status_code',
      'config',
      '',
      '_',
      '42',
    ];
    expect(names.filter((name) => isSensitiveName(name))).toEqual([]);
  });
});

describe('kindOfName', () => {
  it('judges query parameters more strictly', () => {
    expect(kindOfName('code')).toBeNull();
    expect(kindOfName('code', true)).toBe('value');
    expect(kindOfName('key', true)).toBe('value');
    for (const name of ['credentials', 'api_keys', 'tokens', 'cookies', 'hmac', 'sas'])
      expect([name, kindOfName(name, true)]).toEqual([name, 'value']);
    expect(kindOfName('credentials')).toBe('plural');
    expect(kindOfName('author', true)).toBeNull();
    expect(kindOfName('page', true)).toBeNull();
  });

  it('takes configuration as a container', () => {
    expect(kindOfName('configuration')).toBe('container');
    expect(kindOfName('destination_config')).toBe('container');
  });
});
