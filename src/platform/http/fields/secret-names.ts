const ANYWHERE = /pass(?:word|wd|phrase)|token|secret|credential|authorization|api[-_]?key|private[-_]?key/i;
const AS_A_WORD = /(?:^|[^a-z])(?:codes?|values?|otps?|cookies?|signature|assertion)(?:$|[^a-z])/i;
const CAMEL_HUMP = /([a-z0-9])([A-Z])/g;

/** Whether a member called so may hold a credential. Errs on the side of yes: the cost is a less helpful `input`. */
export function isSecretName(name: string): boolean {
  return ANYWHERE.test(name) || AS_A_WORD.test(name.replace(CAMEL_HUMP, '$1_$2'));
}
