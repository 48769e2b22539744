import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { HashAlgorithm, SignatureAlgorithm, SignedXml } from 'xml-crypto';

type Hash = 'sha256' | 'sha384' | 'sha512';
type KeyType = 'rsa' | 'ec';

/** The accepted signature algorithms: RSA (PKCS #1 v1.5) and ECDSA with SHA-256 or stronger. */
const SIGNATURES: Readonly<Record<string, readonly [KeyType, Hash]>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': ['rsa', 'sha256'],
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': ['rsa', 'sha384'],
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': ['rsa', 'sha512'],
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256': ['ec', 'sha256'],
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384': ['ec', 'sha384'],
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512': ['ec', 'sha512'],
};

const DIGESTS: Readonly<Record<string, Hash>> = {
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384': 'sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
};

export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
/** The document contains no comments, so the result is the same as with {@link EXCLUSIVE}. */
const EXCLUSIVE_WITH_COMMENTS = `${EXCLUSIVE}WithComments`;

/** The private key of a shorter RSA key can be computed from its certificate. */
const MIN_RSA_BITS = 2048;

export const isSignatureAlgorithm = (name: string): boolean => Object.hasOwn(SIGNATURES, name);
export const isDigestAlgorithm = (name: string): boolean => Object.hasOwn(DIGESTS, name);
export const isCanonicalization = (name: string): boolean => name === EXCLUSIVE || name === EXCLUSIVE_WITH_COMMENTS;

/** Returns the public keys of PEM certificates. Unreadable certificates, and keys that are too short, are left out. */
export function signingKeysOf(certificates: readonly string[]): KeyObject[] {
  return certificates.flatMap((certificate) => {
    try {
      const key = createPublicKey(certificate);
      const isShort = (key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS;
      return isShort ? [] : [key];
    } catch {
      return [];
    }
  });
}

/** Returns a signature reader with only the accepted algorithms and only these keys. */
export async function signatureReader(keys: readonly KeyObject[]): Promise<SignedXml> {
  const { SignedXml } = await import('xml-crypto');
  // The reader requires one key. The algorithms below try all keys, so that the document is canonicalized only once.
  const reader = new SignedXml({ publicCert: keys[0] as KeyObject, getCertFromKeyInfo: () => null });
  // By default, the library searches for an element by three spellings of its id, and reads the whole document for
  // each.
  reader.idAttributes = ['ID'];
  const { CanonicalizationAlgorithms: all } = reader;
  reader.SignatureAlgorithms = Object.fromEntries(
    Object.entries(SIGNATURES).map(([name, [type, hash]]) => [name, signatureOf(name, type, hash, keys)]),
  );
  reader.HashAlgorithms = Object.fromEntries(
    Object.entries(DIGESTS).map(([name, hash]) => [name, digestOf(name, hash)]),
  );
  reader.CanonicalizationAlgorithms = Object.fromEntries(
    [EXCLUSIVE, EXCLUSIVE_WITH_COMMENTS, ENVELOPED].flatMap((name) => {
      const algorithm = all[name];
      return algorithm === undefined ? [] : [[name, algorithm]];
    }),
  );
  return reader;
}

function signatureOf(
  name: string,
  type: KeyType,
  hash: Hash,
  keys: readonly KeyObject[],
): new () => SignatureAlgorithm {
  const own = keys.filter(({ asymmetricKeyType }) => asymmetricKeyType === type);
  return class {
    getAlgorithmName = (): string => name;

    getSignature = (): never => {
      throw new Error('this service signs nothing');
    };

    verifySignature = (text: unknown, _: unknown, signature: unknown): boolean =>
      own.some((key) => isSigned(hash, String(text), key, String(signature)));
  };
}

function isSigned(hash: Hash, text: string, key: KeyObject, signature: string): boolean {
  try {
    return verify(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64'));
  } catch {
    // Node throws for some malformed signatures.
    return false;
  }
}

function digestOf(name: string, hash: Hash): new () => HashAlgorithm {
  return class {
    getAlgorithmName = (): string => name;
    getHash = (xml: string): string => createHash(hash).update(xml, 'utf8').digest('base64');
  };
}
