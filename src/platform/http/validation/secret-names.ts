const ANYWHERE = /pass(?:word|wd|phrase)|token|secret|credential|authorization|api[-_]?key|private[-_]?key/i;
const AS_A_WORD = /(?:^|[^a-z])(?:codes?|values?|otps?|cookies?|signature|assertion)(?:$|[^a-z])/i;
const CAMEL_HUMP = /([a-z0-9])([A-Z])/g;

/**
 * Returns whether a member with this name may contain a credential. Returns true in doubt, which only makes the `input`
 * of an issue less helpful.
 */
export function isSecretName(name: string): boolean {
  return ANYWHERE.test(name) || AS_A_WORD.test(name.replace(CAMEL_HUMP, '$1_$2'));
}
