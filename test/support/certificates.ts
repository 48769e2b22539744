import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** PEM texts for a TLS server. Node creates them, so that the tests need no other program. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  /** The names or IPv4 addresses of the certificate. */
  readonly names: readonly string[];
  /** Default: the certificate signs itself. */
  readonly authority?: Certificate;
  readonly isAuthority?: boolean;
  /** The end of validity as YYMMDD. Default: 2049. */
  readonly until?: string;
  /** Default: a key on P-256. */
  readonly keyType?: 'ec' | 'rsa';
}

/** Returns an X.509 certificate for the names. */
export function makeCertificate({
  names,
  authority,
  isAuthority = false,
  until = '491231',
  keyType = 'ec',
}: CertificateWish): Certificate {
  const { privateKey, publicKey } =
    keyType === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = keyType === 'rsa' ? RSA_SHA256 : ECDSA_SHA256;
  const subject = isAuthority ? 'Test Authority' : (names[0] ?? '');
  const issuer = authority === undefined ? subject : 'Test Authority';
  const extensions = sequence(
    extension([0x55, 0x1d, 0x13], isAuthority ? sequence(der(0x01, Buffer.from([0xff]))) : sequence()),
    extension([0x55, 0x1d, 0x11], sequence(...names.map(alternativeName))),
  );
  const content = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(issuer),
    sequence(time('200101'), time(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, authority?.key ?? privateKey);
  const certificate = sequence(content, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const base64 = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const RSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), der(0x05, Buffer.alloc(0)));
const integer = (bytes: Buffer): Buffer => der(0x02, bytes);
const time = (day: string): Buffer => der(0x17, Buffer.from(`${day}000000Z`));
const nameOf = (text: string): Buffer =>
  sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(text)))));
const extension = (id: readonly number[], value: Buffer): Buffer => sequence(oid(...id), der(0x04, value));
const alternativeName = (name: string): Buffer =>
  /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
