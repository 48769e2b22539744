/**
 * The marks of programs in the User-Agent header. Specific ones come first, because most browsers also name their
 * ancestors.
 */
const BROWSERS: readonly (readonly [mark: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Vivaldi/', 'Vivaldi'],
  ['YaBrowser/', 'Yandex Browser'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['DuckDuckGo/', 'DuckDuckGo'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
  ['Wget/', 'Wget'],
  ['PostmanRuntime/', 'Postman'],
  ['insomnia/', 'Insomnia'],
  ['python-requests/', 'Python'],
  ['Go-http-client/', 'Go'],
  ['okhttp/', 'OkHttp'],
];

const SYSTEMS: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
];

/** The maximum length of a header that is searched. */
const LONGEST = 512;

/**
 * Returns the browser and system for a person to read, such as `Firefox on Windows`. Every word comes from the lists
 * above. No word comes from the header, because the sender of a request controls it.
 */
export function programOf(userAgent: string | null): string {
  const header = (userAgent ?? '').slice(0, LONGEST);
  const named = (list: typeof BROWSERS): string | undefined => list.find(([mark]) => header.includes(mark))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  if (browser === undefined) return system === undefined ? 'an unknown program' : `an unknown program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
