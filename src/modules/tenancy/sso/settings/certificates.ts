import { type KeyObject, X509Certificate } from 'node:crypto';

/** Longer texts are refused. A certificate takes 1 to 4 KiB. */
export const MAX_CERTIFICATE_LENGTH = 16_384;
export const MAX_CERTIFICATES = 5;
const MIN_RSA_BITS = 2_048;

const BEGINNINGS = /-----BEGIN ([A-Z0-9 ]+)-----/g;
const PEM = /^-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export type ReadCertificate = { readonly certificate: X509Certificate } | { readonly problem: string };

/**
 * Reads a PEM certificate, or only the base64 between its first and last line, which is the form in metadata. Blanks
 * and empty lines are ignored, because copying often adds them. `problem` is a sentence for the caller.
 */
export function readCertificate(text: string): ReadCertificate {
  const kinds = [...text.matchAll(BEGINNINGS)].map(([, kind]) => kind);
  if (kinds.some((kind) => kind?.includes('PRIVATE KEY')))
    return { problem: 'this is a private key, not a certificate' };
  if (kinds.length > 1) return { problem: 'each certificate is an item of the list' };
  const [, content = text] = PEM.exec(text.trim()) ?? [];
  const base64 = content.replaceAll(/\s/g, '');
  if (!BASE64.test(base64)) return { problem: 'this is not a certificate in PEM' };
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    // This also fails for keys of algorithms that OpenSSL does not support.
    const problem = problemOfKey(certificate.publicKey);
    return problem === null ? { certificate } : { problem };
  } catch {
    return { problem: 'this is not a certificate in PEM' };
  }
}

function problemOfKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null {
  if (asymmetricKeyType !== 'rsa' && asymmetricKeyType !== 'ec') return 'the key of a certificate is RSA or EC';
  const isWeak = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS;
  return isWeak ? `an RSA key has at least ${MIN_RSA_BITS} bits` : null;
}
