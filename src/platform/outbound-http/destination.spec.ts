import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bareHost, isCredentialName, isOwnNetworkName, parseDestination } from './destination.js';
import { anyText } from '../../../test/support/property-runs.js';

const LENIENT = { refuseCredentialQuery: false };
const STRICT = { refuseCredentialQuery: true };

describe('a destination', () => {
  it.each([
    ['https://Example.COM', 'https://example.com/'],
    ['  https://example.com/a b?c=d#e ', 'https://example.com/a%20b?c=d#e'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com:8080/x', 'http://example.com:8080/x'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://example.com./', 'https://example.com./'],
    ['https://under_score.example.com/', 'https://under_score.example.com/'],
    ['https://@example.com/', 'https://example.com/'],
    ['http:\\\\example.com\\x', 'http://example.com/x'],
    ['https://[2606:2800:220:1::0001]/', 'https://[2606:2800:220:1::1]/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    [`https://${'a'.repeat(63)}.example.com/`, `https://${'a'.repeat(63)}.example.com/`],
  ])('is read from %s and kept as %s', (text, href) => {
    const parsed = parseDestination(text, STRICT);
    expect(parsed.ok && parsed.url.href).toBe(href);
  });

  const NOT_VALID = 'URL is not valid';
  const NOT_A_NAME = 'URL host name is not valid';
  const USER = 'URL must not contain a user name or password';
  const SCHEME = "URL scheme should be 'http' or 'https'";
  it.each([
    ['', NOT_VALID],
    ['example.com/hook', NOT_VALID],
    ['https:///', NOT_VALID],
    ['http://[::1', NOT_VALID],
    ['http://[]/', NOT_VALID],
    ['http://[::ffff:300.0.0.1]/', NOT_VALID],
    ['http://[fe80::1%25eth0]/', NOT_VALID],
    ['https://exa mple.com/', NOT_VALID],
    ['https://999.1.1.1/', NOT_VALID],
    ['https://4294967296/', NOT_VALID],
    ['https://1.2.3.4.5/', NOT_VALID],
    ['https://example.com:65536/', NOT_VALID],
    ['https://example.com:x/', NOT_VALID],
    ['https://10.0.0.1%00.example.com/', NOT_VALID],
    ['ftp://example.com/', SCHEME],
    ['file:///etc/passwd', SCHEME],
    ['gopher://example.com/', SCHEME],
    ['javascript:alert(1)', SCHEME],
    ['data:text/plain,x', SCHEME],
    ['https://user@example.com/', USER],
    ['https://user:password@example.com/', USER],
    ['https://:password@example.com/', USER],
    ['http://10.0.0.1:80\\@example.com/', null],
    ['http://example.com:80@10.0.0.1/', USER],
    ['https://example.com:0/', 'URL port must not be 0'],
    [`https://${'a'.repeat(64)}.example.com/`, NOT_A_NAME],
    [`https://${'abcdefgh.'.repeat(28)}example/`, NOT_A_NAME],
    ['https://a..example.com/', NOT_A_NAME],
    ['https://.example.com/', NOT_A_NAME],
    ['https://example.com../', NOT_A_NAME],
    ["https://exam'ple.com/", NOT_A_NAME],
    ['https://exa*mple.com/', NOT_A_NAME],
  ])('is refused as %s: %s', (text, problem) => {
    const parsed = parseDestination(text, LENIENT);
    expect(parsed.ok ? null : parsed.problem).toBe(problem);
  });

  it('may have credentials in its query only where they are not refused', () => {
    const text = 'https://example.com/hook?a=1&api%5Fkey=x';
    expect(parseDestination(text, LENIENT).ok).toBe(true);
    expect(parseDestination(text, STRICT)).toEqual({ ok: false, problem: 'URL query must not contain credentials' });
    expect(parseDestination('https://example.com/token?q=token&monkey=key#token=1', STRICT).ok).toBe(true);
  });

  it('is read again as what it was serialized to', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const parsed = parseDestination(text, LENIENT);
        if (!parsed.ok) return;
        const again = parseDestination(parsed.url.href, LENIENT);
        expect(again.ok && again.url.href).toBe(parsed.url.href);
      }),
    );
  });

  it('is never a crash', () => {
    fc.assert(fc.property(anyText(), (text) => void parseDestination(`http://${text}`, STRICT)));
  });
});

describe('the name of a query parameter', () => {
  it.each([
    'token', 'TOKEN', 'access_token', 'access-token', 'accessToken', 'api_key', 'api-key', 'apikey', 'apiKey', 'key',
    'secret', 'password', 'passwd', 'auth', 'Authorization', 'signature', 'sig', 'credential', 'credentials',
    'client_secret', 'private-key', 'X-Amz-Signature', 'x-auth-token', 'refresh_token', 'hook-secret', ' token ',
    'x_api_key', 'XAPIKEY', 'subscription-key', 'Ocp-Apim-Subscription-Key', 'sessiontoken', 'session_id', 'pwd', 'jwt',
    'id_jwt', 'token[]', 'token[0]', 'auth[token]', 'tokens', 'api_keys', 'user.password', 'X-Custom-Auth', 'x-hub-sig',
    'mysecret', 'code', 'sas', 'hmac', 'otp', 'ｔoken', 'page_token', 'x-partner-key', 'access_token_2',
  ])('counts as a credential when it is %j', (name) => expect(isCredentialName(name)).toBe(true)); // prettier-ignore

  it.each([
    '', 'monkey', 'keyboard', 'tokens_left', 'author', 'authority', 'design', 'signal', 'tenant', 'secretary', 'keys',
    'password_policy', 'x-signature-version', 'token_count', 'max_tokens', 'routing_key', 'sort-key', 'idempotency_key',
    'country_code', 'compass', 'sessions', 'page', 'config', 'sid_name', 'ticket', 'X-Request-Id', 'turkey', 'publickey',
  ])('counts as no credential when it is %j', (name) => expect(isCredentialName(name)).toBe(false)); // prettier-ignore
});

describe('a name of the own network', () => {
  it.each([
    'https://LOCALHOST/', 'https://localhost./', 'https://a.localhost/', 'https://lo\u00adcalhost/', 'https://ｌocalhost/',
    'https://intranet/', 'https://redis/', 'https://metadata.google.internal./', 'https://x.INTERNAL/',
    'https://printer.local/', 'https://box.localdomain/', 'https://nas.home.arpa/', 'https://home.arpa/',
    'https://nas.lan/', 'https://wiki.corp/', 'https://api.default.svc/', 'https://api.default.svc.cluster.local/',
    'https://a。internal/',
  ])('is found in the URL %s', (text) => expect(isOwnNetworkName(bareHost(new URL(text)))).toBe(true)); // prettier-ignore

  it.each([
    'https://example.com/', 'https://localhost.example.com/', 'https://notlocalhost.com/', 'https://internal.example/',
    'https://mylan.com/', 'https://a.notlan/', 'https://arpa.example/', 'https://local.example.com./',
  ])('is not found in the URL %s', (text) => expect(isOwnNetworkName(bareHost(new URL(text)))).toBe(false)); // prettier-ignore
});
