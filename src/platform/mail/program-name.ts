/**
 * The substrings by which programs are recognized in the User-Agent header. Specific ones come first, because most
 * browsers also name the browsers from which they descend.
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
 * Returns the browser and system for display, such as `Firefox on Windows`. The words come only from the lists above
 * and never from the header, which the client controls.
 */
export function programOf(userAgent: string | null): string {
  const header = (userAgent ?? '').slice(0, LONGEST);
  const named = (list: typeof BROWSERS): string | undefined => list.find(([mark]) => header.includes(mark))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  if (browser === undefined) return system === undefined ? 'an unknown program' : `an unknown program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
