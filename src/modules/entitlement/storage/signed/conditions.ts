/** The values that conditional headers are compared with. */
export interface Validators {
  /** The entity tag, without quotes and always strong. */
  readonly etag: string;
  /** The time of the last change of the content. */
  readonly modifiedAt: Date;
}

/** The conditional request headers, by their names in Node. */
export type ConditionHeaders = Readonly<
  Partial<Record<'if-match' | 'if-none-match' | 'if-modified-since' | 'if-unmodified-since' | 'if-range', string>>
>;

/**
 * Evaluates the conditions of a read in the order of RFC 9110 13.2.2. `go-on` means the usual response, `failed` 412
 * and `not-modified` 304.
 */
export function judge(headers: ConditionHeaders, validators: Validators): 'go-on' | 'failed' | 'not-modified' {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) {
    if (!matches(match, validators.etag)) return 'failed';
  } else {
    const since = httpDate(headers['if-unmodified-since']);
    if (since !== null && seconds(validators.modifiedAt) > seconds(since)) return 'failed';
  }
  if (noneMatch !== undefined) return matches(noneMatch, validators.etag, true) ? 'not-modified' : 'go-on';
  const since = httpDate(headers['if-modified-since']);
  return since !== null && seconds(validators.modifiedAt) <= seconds(since) ? 'not-modified' : 'go-on';
}

/** Returns whether a `Range` applies: `If-Range` is missing, or has the strong tag or the exact date. */
export function isRangeWanted(ifRange: string | undefined, { etag, modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.trim() === `"${etag}"`) return true;
  const date = httpDate(ifRange);
  return date !== null && seconds(date) === seconds(modifiedAt);
}

/** Returns whether a list of entity tags contains the tag; `*` matches any. Weak tags match in weak comparison only. */
export function matches(header: string, etag: string, weakly = false): boolean {
  if (header.trim() === '*') return true;
  for (const [, weak, tag] of header.matchAll(/(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)) {
    if (tag === etag && (weakly || weak === undefined)) return true;
  }
  return false;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = '(\\d{2}):(\\d{2}):(\\d{2})';
const FIXED = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d{2}) (\\w{3}) (\\d{4}) ${TIME} GMT$`);
const RFC_850 = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d{2})-(\\w{3})-(\\d{2}) ${TIME} GMT$`);
const ASCTIME = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\\w{3}) ([ \\d]\\d) ${TIME} (\\d{4})$`);

/**
 * Reads a date in one of the three formats of RFC 9110 5.6.7. Returns null for any other text; the condition is then
 * ignored.
 */
export function httpDate(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const fixed = FIXED.exec(text);
  if (fixed !== null) return dateOf(fixed[3], fixed[2], fixed[1], fixed.slice(4));
  const short = RFC_850.exec(text);
  if (short !== null) return dateOf(fullYear(Number(short[3])), short[2], short[1], short.slice(4));
  const asctime = ASCTIME.exec(text);
  return asctime === null ? null : dateOf(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
}

/** Expands a two-digit year with the usual split at 70. */
function fullYear(digits: number): number {
  return digits < 70 ? 2_000 + digits : 1_900 + digits;
}

function dateOf(
  year: string | number | undefined,
  month: string | undefined,
  day: string | undefined,
  time: readonly (string | undefined)[],
): Date | null {
  const index = MONTHS.indexOf(month ?? '');
  const [hour, minute, second] = time.map(Number);
  if (index < 0 || hour === undefined || minute === undefined || second === undefined) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const date = new Date(Date.UTC(Number(year), index, Number(day), hour, minute, second));
  return date.getUTCDate() === Number(day) || second === 60 ? date : null;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}
