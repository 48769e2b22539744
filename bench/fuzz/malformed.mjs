// Bytes that look like a request, with a fault in one place.

const LINES = ['Host: 127.0.0.1', 'Content-Type: application/json', 'Accept: */*'];
const BODY = '{"email":"fuzz@example.com"}';

const HEADS = [
  () => 'NONSENSE\r\n\r\n',
  () => 'FOO /health HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  () => 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'GET /health HTTP/1.1\r\n\r\n',
  () => 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  () => 'GET /health HTTP/9.9\r\nHost: a\r\n\r\n',
  () => 'GET /health\r\n\r\n',
  () => 'GET  /health HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'GET /health HTTP/1.1\nHost: a\n\n',
  () => 'GET /health HTTP/1.1\r\nHost: a\r\nX : 1\r\n\r\n',
  () => 'GET /health HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
  () => 'GET /health HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n',
  () => 'GET /hea\x01lth HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'GET health HTTP/1.1\r\nHost: a\r\n\r\n',
  (chance) => `GET /${'x'.repeat(chance.pick([15_000, 17_000, 90_000]))} HTTP/1.1\r\nHost: a\r\n\r\n`,
  (chance) => `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(chance.pick([17_000, 90_000]))}\r\n\r\n`,
  (chance) => `GET /health HTTP/1.1\r\nHost: a\r\n${'X: 1\r\n'.repeat(chance.pick([199, 201, 2_500]))}\r\n`,
  () => post('Content-Length: 5', 'Content-Length: 6'),
  () => post('Content-Length: -1'),
  () => post('Content-Length: 0x10'),
  () => post('Content-Length: 99999999999999999999'),
  () => post('Content-Length: 28', 'Transfer-Encoding: chunked'),
  () => post('Transfer-Encoding: gzip, chunked'),
  () => post('Transfer-Encoding: chunked, identity'),
  () => post('Transfer-Encoding: xchunked'),
  () => `${post('Transfer-Encoding: chunked')}zz\r\n`,
  () => `${post('Transfer-Encoding: chunked')}5;a=b\r\n{"a":\r\n2\r\n1}\r\n0\r\nTrailer: x\r\n\r\n`,
  () => `${post('Transfer-Encoding: chunked')}ffffffffffffffffff\r\n`,
  () => `${post('Transfer-Encoding: chunked')}5;${'a'.repeat(20_000)}\r\n`,
  () => `${post('Transfer-Encoding: chunked')}2\r\n{}XX0\r\n\r\n`,
  () => 'GET /health HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n',
  () => 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'GET http://other.example/health HTTP/1.1\r\nHost: a\r\n\r\n',
  () => 'GET /health HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n',
];

function post(...lines) {
  return `POST /v1/auth/password-reset/validate HTTP/1.1\r\n${[...LINES, ...lines].join('\r\n')}\r\n\r\n`;
}

/** Returns a malformed head. Some have random bytes changed, and some follow complete requests. */
export function malformed(chance) {
  let bytes = Buffer.from(chance.pick(HEADS)(chance), 'latin1');
  if (chance.is(0.4)) {
    const whole = Buffer.from(`${post(`Content-Length: ${BODY.length}`)}${BODY}`, 'latin1');
    bytes = Buffer.from(chance.is(0.5) ? whole : bytes);
    for (let times = chance.between(1, 4); times > 0; times -= 1) bytes[chance.below(bytes.length)] = chance.below(256);
  }
  const before = chance.is(0.5)
    ? Buffer.from('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(chance.between(1, 3)))
    : Buffer.alloc(0);
  return { actor: 'nobody', method: 'raw', target: '', headers: {}, bytes: Buffer.concat([before, bytes]) };
}
