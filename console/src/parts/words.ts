/** Names may be a sender's own words. A Map has no inherited members that they could match. */
const SPELLED: ReadonlyMap<string, string> = new Map([
  ['totp', 'authenticator'],
  ['email', 'e-mail'],
  ['oauth', 'Google or Apple'],
  ['api', 'API'],
  ['id', 'ID'],
  ['ip', 'IP'],
  ['dlq', 'dead letter'],
]);

/**
 * Returns a name for use inside a sentence: `rate_of_change` is "rate of change". Text that is no API name stays as it
 * is.
 */
export function inWords(name: string): string {
  if (!/^[\w.-]+$/.test(name)) return name;
  return name
    .split(/[._]/)
    .map((word) => SPELLED.get(word) ?? word)
    .join(' ');
}

/** Returns a name for use on its own: `totp_setup_started` is "Authenticator setup started". */
export function wordsOf(name: string): string {
  const words = inWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const PROGRAMS = [
  ['Edg', 'Edge'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
  ['curl', 'curl'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
] as const;

/** Returns browser and system of a `User-Agent`, or the beginning of its own text when it names no known program. */
export function programOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown program';
  const nameIn = (known: readonly (readonly [string, string])[]): string | undefined =>
    known.find(([sign]) => userAgent.includes(sign))?.[1];
  const [program, system] = [nameIn(PROGRAMS), nameIn(SYSTEMS)];
  if (program === undefined) return userAgent.slice(0, 60);
  return system === undefined ? program : `${program} on ${system}`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats bytes in units of 1,024, as the plans count them. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** power;
  return `${number.toLocaleString('en', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${UNITS[power]}`;
}
