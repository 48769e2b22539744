import { X509Certificate } from 'node:crypto';

/** A certificate is 1 to 4 KiB. A longer text holds something else. */
export const MAX_CERTIFICATE_LENGTH = 16_384;
export const MAX_CERTIFICATES = 5;
const MIN_RSA_BITS = 2_048;

const BEGINNINGS = /-----BEGIN ([A-Z0-9 ]+)-----/g;
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

export type ReadCertificate = { readonly certificate: X509Certificate } | { readonly problem: string };

/**
 * Reads a certificate in PEM, or the base64 between its first and last line, as metadata contains it. `problem` is a
 * sentence for the caller.
 */
export function readCertificate(text: string): ReadCertificate {
  const kinds = [...text.matchAll(BEGINNINGS)].map(([, kind]) => kind);
  if (kinds.some((kind) => kind?.includes('PRIVATE KEY'))) return { problem: 'a private key is no certificate' };
  if (kinds.length > 1) return { problem: 'each certificate is an item of the list' };
  const der = kinds.length === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : text;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(der);
  } catch {
    return { problem: 'this is no certificate in PEM' };
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa' && asymmetricKeyType !== 'ec')
    return { problem: 'the key of a certificate is RSA or EC' };
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS)
    return { problem: `an RSA key has at least ${MIN_RSA_BITS} bits` };
  return { certificate };
}
