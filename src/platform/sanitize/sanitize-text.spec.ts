import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskSecrets, sanitizeText } from './sanitize-text.js';
import { propertyRuns } from '../../../test/support/property-runs.js';

const table = (rows: readonly (readonly [input: string, output: string])[]) => {
  for (const [input, output] of rows) expect(sanitizeText(input)).toBe(output);
};

describe('sanitizeText: credentials by structure', () => {
  it('masks authorization headers with scheme and parameters', () => {
    table([
      ['sent Authorization: Bearer s3cr3t.value and got 401', 'sent Authorization: [redacted] and got 401'],
      ['proxy-authorization:basic dTpw', 'proxy-authorization:[redacted]'],
      ['Authorization: Token token=zz9 next', 'Authorization: [redacted] next'],
      ['Authorization: Digest username="u", realm="r", response="6629fae4"', 'Authorization: [redacted]'],
      [
        `http -h 'Authorization: Basic dTpwYXNz' https://a.example`,
        `http -h 'Authorization: [redacted]' https://a.example`,
      ],
      ['["authorization","Bearer q1w2e3"]', '["authorization","[redacted]"]'],
      [`{'authorization': ['Bearer q1w2e3'], 'x': 1}`, `{'authorization': [redacted], 'x': 1}`],
      ['the caller used bearer q1w2e3r4 yesterday', 'the caller used bearer [redacted] yesterday'],
      ['Bearer abcdefghijk', 'Bearer [redacted]'],
      ['you sent "Bearer abcdefghijk", which expired', 'you sent "Bearer [redacted]", which expired'],
      ['bearer: abcdefghijk', 'bearer: [redacted]'],
      ['ApiKey abcdefghijk is unknown', 'ApiKey [redacted] is unknown'],
      ['you sent Basic YWRtaW46aHVudGVy', 'you sent Basic [redacted]'],
      ['you sent Digest username="u", response="abcdefgh"', 'you sent Digest [redacted]'],
    ]);
  });

  it('masks headers of any credential-like name, however they are listed', () => {
    table([
      ['{"X-Custom-Auth":"abcdefgh","X-Team":"blue"}', '{"X-Custom-Auth":"[redacted]","X-Team":"blue"}'],
      ['{"headers":"{\\"X-Custom-Auth\\":\\"abcdefgh\\"}"}', '{"headers":"{\\"X-Custom-Auth\\":\\"[redacted]\\"}"}'],
      [
        "{'x-partner-key': 'abcdefgh', 'x-routing-key': 'blue'}",
        "{'x-partner-key': '[redacted]', 'x-routing-key': 'blue'}",
      ],
      ['X-Session: abcdefgh', 'X-Session: [redacted]'],
      ['[["X-Custom-Auth","abcdefgh"],["X-Team","blue"]]', '[["X-Custom-Auth","[redacted]"],["X-Team","blue"]]'],
      ['{"name":"X-Custom-Auth","value":"abcdefgh"}', '{"name":"X-Custom-Auth","value":"[redacted]"}'],
      ['{"name":"X-Team","value":"blue"}', '{"name":"X-Team","value":"blue"}'],
      ['"loc":["body","password"],"msg":"Field required"', '"loc":["body","password"],"msg":"Field required"'],
    ]);
  });

  it('masks cookies to the end of their line', () => {
    table([
      ['Cookie: sid=a1; theme=dark\nHost: a.example', 'Cookie: [redacted] Host: a.example'],
      ['"set-cookie":"sid=\\"x\\"; Path=/","n":1', '"set-cookie":"[redacted]","n":1'],
    ]);
  });

  it('masks assignments whatever the quotes and whatever follows', () => {
    table([
      ['password=hunter2', 'password=[redacted]'],
      ['PASSWORD = "two words", user = "bob"', 'PASSWORD = "[redacted]", user = "bob"'],
      [`passphrase: 'it is long' # comment`, `passphrase: '[redacted]' # comment`],
      [`b'secret': b'raw'`, `b'secret': b'[redacted]'`],
      [`pwd=it'sFine,really;yes next`, 'pwd=[redacted] next'],
      ['(token=q1) done', '(token=[redacted]) done'],
      ['export API_KEY=q1; ls', 'export API_KEY=[redacted]; ls'],
      ['AccountKey=q1==;EndpointSuffix=core', 'AccountKey=[redacted];EndpointSuffix=core'],
      ['private key: q1', 'private key: [redacted]'],
      ['user[password]=q1&user[name]=bob', 'user[password]=[redacted]&user[name]=bob'],
      ['secret => q1', 'secret => [redacted]'],
      ['secret: >-\n  line one\n  line two\nname: x', 'secret: [redacted] name: x'],
      ['credentials:\n  password: q1 rest', 'credentials:   password: [redacted] rest'],
    ]);
  });

  it('masks JSON fields, also escaped and encoded ones', () => {
    table([
      ['{"password":"a \\"quoted\\" one","n":1}', '{"password":"[redacted]","n":1}'],
      ['{"body":"{\\"token\\":\\"a\\\\\\"b\\",\\"n\\":1}"}', '{"body":"{\\"token\\":\\"[redacted]\\",\\"n\\":1}"}'],
      ['{"secret": 1234, "n": 1}', '{"secret": [redacted], "n": 1}'],
      ['{"api_keys":["q1","q2"],"n":1}', '{"api_keys":[redacted],"n":1}'],
      ['%22client_secret%22%3A%22q1%22%2C%22n%22', '%22client_secret%22%3A%22[redacted]%22%2C%22n%22'],
      ['password%3Dq1%26n%3D1', 'password%3D[redacted]%26n%3D1'],
      ['&quot;token&quot;:&quot;q1&quot;', '&quot;token&quot;:&quot;[redacted]&quot;'],
      ['<Password>q1</Password><n>1</n>', '<Password>[redacted]</Password><n>1</n>'],
      ['{"password":"never closed', '{"password":"[redacted]'],
    ]);
  });

  it('masks configuration objects whole', () => {
    table([
      [
        '{"configuration":{"url":"https://a.example","h":{"x":"}"}},"ok":true}',
        '{"configuration":[redacted],"ok":true}',
      ],
      ['config = debug', 'config = debug'],
    ]);
  });

  it('masks what plural names hold, but not how many there are', () => {
    table([
      ['https://a.example/?n=1&credentials=q1w2&m=2', 'https://a.example/?n=1&credentials=[redacted]&m=2'],
      ['https://a.example/?TOKENS=99', 'https://a.example/?TOKENS=[redacted]'],
      ['credentials=q1w2 x', 'credentials=[redacted] x'],
      ['creds: q1w2', 'creds: [redacted]'],
      [
        '{"credentials":"q1w2","secrets":["q1"],"tokens":{"a":"q1"},"n":1}',
        '{"credentials":"[redacted]","secrets":[redacted],"tokens":[redacted],"n":1}',
      ],
      ['{"tokens":512,"n":1}', '{"tokens":512,"n":1}'],
      ['tokens=512', 'tokens=512'],
      ['credentials: invalid', 'credentials: invalid'],
    ]);
  });

  it('masks parameters of encoded addresses and those with an index', () => {
    table([
      [
        'next=https%3A%2F%2Fa.example%2F%3Fkey%3Dq1w2%26b%3D2',
        'next=https%3A%2F%2Fa.example%2F%3Fkey%3D[redacted]%26b%3D2',
      ],
      [
        'u=https%3A%2F%2Fa.example%2F%3Fb%3D2%26api%255Fkey%3Dq1w2',
        'u=https%3A%2F%2Fa.example%2F%3Fb%3D2%26api%255Fkey%3D[redacted]',
      ],
      ['/cb?a=1&token[]=q1w2&b=2', '/cb?a=1&token[]=[redacted]&b=2'],
      ['/cb?auth[token]=q1w2&tokens[0]=q1', '/cb?auth[token]=[redacted]&tokens[0]=[redacted]'],
      ['/cb?token%5B0%5D=q1w2', '/cb?token%5B0%5D=[redacted]'],
    ]);
  });

  it('masks userinfo, sensitive query parameters and credential-bearing paths', () => {
    table([
      ['mysql://root:pw@db.example/app', 'mysql://[redacted]@db.example/app'],
      ['redis://:pw@cache:6379', 'redis://[redacted]@cache:6379'],
      ['https://a.example/?n=1&sig=q1&m=2', 'https://a.example/?n=1&sig=[redacted]&m=2'],
      ['https://a.example/?%61uth=q1#top', 'https://a.example/?%61uth=[redacted]#top'],
      [
        'https://hooks.slack.com/services/T0AAAAAAA/B0AAAAAAA/q1w2 gone',
        'https://hooks.slack.com/services/[redacted] gone',
      ],
      ['POST /services/T0AAAAAAA/B0AAAAAAA/q1w2 404', 'POST /services/[redacted] 404'],
      ['https://discord.com/api/v10/webhooks/1/q1w2', 'https://discord.com/api/v10/webhooks/[redacted]'],
      ['https://api.telegram.org/bot123456:q1w2/sendMessage', 'https://api.telegram.org/[redacted]/sendMessage'],
      ['https://a.example/hook/9b2d4f6a8c0e1a3b5c7d/x', 'https://a.example/hook/[redacted]/x'],
    ]);
  });

  it('masks command-line flags and spoken credentials', () => {
    table([
      ['mysql --password q1 -u root', 'mysql --password [redacted] -u root'],
      ['curl -u bob:q1 https://a.example', 'curl -u [redacted] https://a.example'],
      ['your password is q1w2e3', 'your password is [redacted]'],
      ['api key 9b2d4f6a8c0e1a3b5c7d unknown', 'api key [redacted] unknown'],
    ]);
  });
});

describe('sanitizeText: credentials by shape', () => {
  const filler = 'Zz09'.repeat(12);
  const shapes = [
    `oes_${'a1'.repeat(4)}_${'Zz09'.repeat(9)}Zz`,
    `oes_scim_${'Zz09aB8'.repeat(6)}a`,
    `oesb_${'a1'.repeat(4)}_${'Zz09'.repeat(9)}Zz`,
    `sk_live_${filler}`,
    `rk_test_${filler}`,
    `whsec_${filler}=`,
    `ghp_${filler}`,
    `github_pat_${filler}`,
    `glpat-${filler}`,
    `xoxb-${'1234567890-'.repeat(2)}${filler}`,
    `AIza${filler}`,
    `sk-${filler}`,
    `npm_${filler}`,
    'ASIAZZZZZZZZZZZZZZZZ',
    `SG.${filler}.${filler}`,
    `hvs.${filler}`,
    `pypi-${filler}`,
    `dop_v1_${filler}`,
    `12345678:${filler.slice(0, 35)}`,
    `eyJ${filler}.eyJ${filler}.${filler}`,
    `eyJ${filler}..${filler}.${filler}.${filler}`,
  ];

  it.each(shapes)('masks a credential such as %s', (shape) => {
    expect(sanitizeText(`refused ${shape} at the gate`)).toBe('refused [redacted] at the gate');
    expect(sanitizeText(`"${shape}"`)).toBe('"[redacted]"');
  });

  it('masks private keys, also those cut off', () => {
    const body = `\n${'QUJD'.repeat(16)}\n`;
    expect(sanitizeText(`a -----BEGIN EC PRIVATE KEY-----${body}-----END EC PRIVATE KEY----- b`)).toBe(
      'a [redacted] b',
    );
    expect(sanitizeText(`a -----BEGIN RSA PRIVATE KEY-----${body}`)).toBe('a [redacted]');
  });
});

describe('sanitizeText: ordinary texts', () => {
  it.each([
    'getaddrinfo ENOTFOUND hooks.example.com',
    'socket hang up after 5000 ms',
    'password must have at least 8 characters',
    'Bearer token missing',
    'Basic authentication required',
    'Basic functionality of the basic subscription',
    'Bearer authentication required',
    'the bearer of bad news',
    'a bearer token. Bearer tokens must be sent in the header',
    '{"auth":false,"basic_auth":true,"primary_key":"id","X-Idempotency-Key":"abc"}',
    'the key to success: persistence',
    'session: closed',
    'compass: north',
    'token_type=bearer&expires_in=3600',
    '{"password":null,"token":""}',
    'duplicate key value violates unique constraint "users_email_key"',
    'https://example.com/keys/orders?page=2&author=basic',
    'order 0190b2c4-1111-7000-8000-000000000000 not found',
    'Überraschung – 12 €',
    '/v1/projects/0190b2c4-1111-7000-8000-000000000000/keys',
    'ratio 3:2, at 10:45',
    'unexpected token < in JSON at position 0',
  ])('keeps the text "%s"', (text) => {
    expect(sanitizeText(text)).toBe(text);
  });
});

describe('sanitizeText: known values', () => {
  const value = 'pässword/with "quotes" & spaces+9';

  it('masks a known value raw, percent-encoded, JSON-escaped, HTML-escaped, in hex and in base64', () => {
    const bytes = Buffer.from(value);
    const forms = [
      value,
      encodeURIComponent(value),
      encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      new URLSearchParams({ v: value }).toString().slice(2),
      JSON.stringify(value).slice(1, -1),
      JSON.stringify(JSON.stringify(value)).slice(3, -3),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ];
    for (const form of forms) expect(sanitizeText(`echo <${form}> end`, [value])).toBe('echo <[redacted]> end');
  });

  it('finds a known value inside a longer base64 text, wherever it starts', () => {
    for (const before of ['', 'u', 'us', 'user:']) {
      const encoded = Buffer.from(`${before}correct-horse-9 and more`).toString('base64');
      const digits = Buffer.from('correct-horse-9').toString('base64').slice(4, 16);
      const out = sanitizeText(`got ${encoded}`, ['correct-horse-9']);
      expect(out).toContain('[redacted]');
      expect(out).not.toContain(digits);
      expect(Buffer.from(out.replace('[redacted]', ''), 'base64').toString('latin1')).not.toContain('horse');
    }
  });

  it('masks the value of a known header without its scheme too', () => {
    expect(sanitizeText('you sent q-1-w-2', ['Custom q-1-w-2'])).toBe('you sent [redacted]');
  });

  it('masks very short known values only where they stand alone', () => {
    expect(sanitizeText('ab cab "ab" abc', ['ab'])).toBe('[redacted] cab "[redacted]" abc');
  });

  it('masks the longer of two values that contain each other', () => {
    expect(sanitizeText('got alpha-beta-gamma', ['alpha-beta', 'alpha-beta-gamma'])).toBe('got [redacted]');
  });

  it('stays stable when a known value is part of the mask itself', () => {
    const once = sanitizeText('the redacted act', ['redacted', 'act']);
    expect(once).toBe('the [redacted] [redacted]');
    expect(sanitizeText(once, ['redacted', 'act'])).toBe(once);
  });

  it('leaves no part of a known value that the input bound cuts through', () => {
    const secret = 'known secret with several words in it';
    const text = `-----BEGIN PRIVATE KEY-----${'A'.repeat(16_200)}-----END PRIVATE KEY-----`;
    const out = sanitizeText(text + ' '.repeat(16_384 - text.length - 20) + secret, [secret]);
    expect(out).not.toContain('known secret');
  });
});

describe('sanitizeText: bounds and characters', () => {
  it('cuts to 500 characters after masking and never through a surrogate pair', () => {
    const straddling = `${'x '.repeat(240)}token=${'q1w2'.repeat(20)}`;
    expect(sanitizeText(straddling)).toHaveLength(496);
    expect(sanitizeText(`${'y'.repeat(499)}😀`)).toBe('y'.repeat(499));
    expect(sanitizeText('z'.repeat(20_000))).not.toContain('zz'.repeat(251));
  });

  it('turns line breaks into spaces and drops control and invisible characters', () => {
    expect(sanitizeText('a\r\nb\tc\u0000d\u001b[31me\u200bf\u202e\u2028g')).toBe('a b cd[31mef g');
    expect(sanitizeText('lone \ud800 surrogate')).toBe('lone \ufffd surrogate');
  });

  it('finds a credential that control characters split', () => {
    expect(sanitizeText('pass\u0000word=hunter2 x')).toBe('password=[redacted] x');
    expect(sanitizeText(`ghp_${'Zz09'.repeat(4)}\u200b${'Zz09'.repeat(5)} x`)).toBe('[redacted] x');
  });

  it.each([
    'a',
    '=',
    ':',
    ' ',
    '"',
    '\\',
    '\\"',
    '%22',
    '/',
    '/a',
    '<a ',
    '{',
    '://a',
    'a:a,',
    'eyJ',
    'eyJ.',
    'key ',
    'bearer ',
    'password=',
    'password="',
    '"password":{',
    '\\"password\\":\\"',
    'secret: a:',
    'password=a,',
    '-----BEGIN PRIVATE KEY-----',
    'https://a/',
    'Cookie: ',
    'secret: |\n ',
    '&a=',
    'tokens:',
    'tokens%3a',
    'tokens=1:',
    'config:\\\\"',
  ])('finishes on a hostile 16 KiB of %j', (unit) => {
    expect(sanitizeText(unit.repeat(Math.ceil(16_384 / unit.length)), ['known-value']).length).toBeLessThanOrEqual(500);
  });
});

const fragment = fc.oneof(
  fc.constantFrom(
    'password',
    'token',
    'api_key',
    'Authorization',
    'Cookie',
    'secret',
    'config',
    'key',
    'Bearer',
    'Basic',
    '=',
    ': ',
    ':',
    '%3D',
    '"',
    "'",
    '\\"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ';',
    '&',
    '?',
    '#',
    '/',
    'https://',
    '@',
    ' ',
    '\n',
    '\u0000',
    '[redacted]',
    '[redac',
    '-----BEGIN PRIVATE KEY-----',
    'oes_',
    'eyJ',
    '.',
    'known-value-1',
    '--password ',
    '<token>',
    '</token>',
    'hooks/',
    '|\n  ',
    '😀',
    '\ud800',
    'is ',
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...'abcXYZ0189_-'), minLength: 8, maxLength: 40 }),
);

describe('sanitizeText: properties', () => {
  it('is idempotent, bounded, single-line and free of known values', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 90 }), (parts) => {
        const once = sanitizeText(parts.join(''), ['known-value-1']);
        expect(sanitizeText(once, ['known-value-1'])).toBe(once);
        expect(once.length).toBeLessThanOrEqual(500);
        expect(once).not.toMatch(/[\p{Cc}\p{Surrogate}]/u);
        expect(once).not.toContain('known-value-1');
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it.each([
    'Pw:client_secret = "aaaaaaaa"',
    'Pw: client_secret = aaaaaaaa',
    'Pw:client_secret= "aaaaaaaa"',
    'Pw:client_secret ="aaaaaaaa"',
    'Pw:"client_secret" = "aaaaaaaa"',
    'Pw: token : password => aaaaaaaa',
    'Authorization: client_secret = "aaaaaaaa"',
    'Authorization: client_secret: "aaaaaaaa"',
    'Cookie: client_secret = "aaaaaaaa"',
    "pw%3Dclient_secret%20%3D%20'aaaaaaaa'",
  ])('shows no value of a name that stands where the value of another is wanted: %s', (text) => {
    expect(sanitizeText(`${text}, n = 17`)).not.toContain('aaaaaaaa');
  });

  it('keeps what stands behind a value that is no name', () => {
    expect(sanitizeText('{"pw":"token","n":17}')).toBe('{"pw":"[redacted]","n":17}');
    expect(sanitizeText('Pw: hunter2 = "seventeen"')).toBe('Pw: [redacted] = "seventeen"');
  });

  it('never shows a value behind a sensitive name', () => {
    const names = fc.constantFrom(
      'password',
      'DB_PASSWORD',
      'client_secret',
      'accessToken',
      'x-api-key',
      'refresh token',
      'passphrase',
    );
    const frames = fc.constantFrom<[string, string]>(
      ['=', ''],
      [': ', ''],
      [' = "', '"'],
      [": '", "'"],
      ['":"', '","n":1}'],
      ['\\":\\"', '\\",\\"n\\":1'],
      ['=', '&n=1'],
      ['=', ', n=1'],
      ['%3D', '%26n%3D1'],
    );
    const values = fc.string({ unit: fc.constantFrom(...'abcdXYZ0189!@$*()+-./~^|?_'), minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), names, frames, values, (lead, name, [open, close], value) => {
        expect(sanitizeText(`${lead} ${name}${open}${value}${close} end`)).not.toContain(value);
      }),
      { numRuns: propertyRuns(3_000) },
    );
    const leads = fc.tuple(names, fc.constantFrom(':', ': ', '=', ' = ', ':"', "='")).map((parts) => parts.join(''));
    fc.assert(
      fc.property(leads, names, frames, values, (lead, name, [open, close], value) => {
        expect(sanitizeText(`${lead}${name}${open}${value}${close} end`)).not.toContain(value);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });
});

describe('maskSecrets', () => {
  it('masks like sanitizeText but keeps length and line breaks', () => {
    const stack = `Error: password=q1\n    at run (file:///srv/app/password.js:12:3)\n${'at x\n'.repeat(200)}`;
    expect(maskSecrets(stack)).toBe(stack.replace('q1', '[redacted]'));
  });
});
