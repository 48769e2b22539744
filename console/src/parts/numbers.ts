const WHOLE = new Intl.NumberFormat();
const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });
const SHORT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Functions that format numbers for people. Each is the same function in every render, as charts need it. */
export const whole = (value: number): string => WHOLE.format(value);
export const share = (value: number): string => SHARE.format(value);
/** Returns a number with its noun: "1 event", "1,204 events". */
export const numbered = (count: number, one: string, many = `${one}s`): string =>
  `${WHOLE.format(count)} ${count === 1 ? one : many}`;
export const decimal = (value: number): string => SHORT.format(value);
export const milliseconds = (value: number | null): string => (value === null ? '–' : `${WHOLE.format(value)} ms`);

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const;

/** From ten on, decimals only make a duration harder to read. */
const roughly = (value: number): string => (value < 10 ? SHORT : WHOLE).format(value < 10 ? value : Math.round(value));

/** Formats a duration, such as "1.5 h". */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  const unit = UNITS.find((each) => seconds >= each.seconds);
  if (unit !== undefined) return `${roughly(seconds / unit.seconds)} ${unit.name}`;
  return seconds >= 1 || seconds === 0
    ? `${SHORT.format(seconds)} s`
    : `${WHOLE.format(Math.round(seconds * 1000))} ms`;
}
